// A bare epoll server: answers whatever arrives with the same bytes, and parses
// nothing but the end of the request. What is above it is what HTTP costs.
//
//   epoll --addr 127.0.0.1:18080 [--body BYTES] [--close]
#define _GNU_SOURCE // accept4
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX_EVENTS = 512, MAX_FD = 65536, READ_SIZE = 16384 };

static char *answer;
static size_t answer_size;
static int close_after;
static size_t sent[MAX_FD]; // of the answer that is on its way, by connection

static void die(const char *what) {
  perror(what);
  exit(1);
}

static void make_answer(size_t body) {
  static const char hello[] = "Hello, vikram!\n";
  size_t size = body > 0 ? body : sizeof hello - 1;
  answer = malloc(size + 256);
  int head = sprintf(answer, "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n%sContent-Length: %zu\r\n\r\n",
                     close_after ? "Connection: close\r\n" : "", size);
  if (body > 0) {
    memset(answer + head, 'x', size);
  } else {
    memcpy(answer + head, hello, size);
  }
  answer_size = (size_t)head + size;
}

static int listen_on(const char *addr) {
  char host[64];
  int port, on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (sscanf(addr, "%63[^:]:%d", host, &port) != 2) {
    fprintf(stderr, "epoll: no address: %s\n", addr);
    exit(1);
  }
  struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
  inet_pton(AF_INET, host, &in.sin_addr);
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(fd, (struct sockaddr *)&in, sizeof in) < 0 || listen(fd, 4096) < 0) {
    die("epoll: listen");
  }
  return fd;
}

static void watch(int epoll, int op, int fd, unsigned events) {
  struct epoll_event e = {.events = events, .data.fd = fd};
  if (epoll_ctl(epoll, op, fd, &e) < 0) {
    die("epoll: epoll_ctl");
  }
}

static void accept_all(int epoll, int listener) {
  int on = 1, fd;
  while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
    if (fd >= MAX_FD) {
      close(fd);
      continue;
    }
    sent[fd] = 0;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    watch(epoll, EPOLL_CTL_ADD, fd, EPOLLIN);
  }
}

// Sends what the socket takes; the rest waits until it takes more.
static void send_on(int epoll, int fd, int waiting) {
  ssize_t n = send(fd, answer + sent[fd], answer_size - sent[fd], MSG_NOSIGNAL);
  if (n < 0 && errno != EAGAIN) {
    close(fd);
    return;
  }
  sent[fd] += n > 0 ? (size_t)n : 0;
  if (sent[fd] < answer_size) {
    if (!waiting) {
      watch(epoll, EPOLL_CTL_MOD, fd, EPOLLOUT);
    }
    return;
  }
  sent[fd] = 0;
  if (close_after) {
    close(fd);
  } else if (waiting) {
    watch(epoll, EPOLL_CTL_MOD, fd, EPOLLIN);
  }
}

static void serve(int epoll, struct epoll_event *e) {
  static char request[READ_SIZE];
  int fd = e->data.fd;
  if (e->events & EPOLLOUT) {
    send_on(epoll, fd, 1);
    return;
  }
  ssize_t n = recv(fd, request, sizeof request, 0);
  if (n == 0 || (n < 0 && errno != EAGAIN)) {
    close(fd);
  } else if (n >= 4 && memcmp(request + n - 4, "\r\n\r\n", 4) == 0) {
    send_on(epoll, fd, 0);
  }
}

int main(int argc, char **argv) {
  const char *addr = "127.0.0.1:18080";
  size_t body = 0;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--close") == 0) {
      close_after = 1;
    } else if (strcmp(argv[i], "--addr") == 0 && i + 1 < argc) {
      addr = argv[++i];
    } else if (strcmp(argv[i], "--body") == 0 && i + 1 < argc) {
      body = strtoul(argv[++i], NULL, 10);
    }
  }
  make_answer(body);
  int listener = listen_on(addr), epoll = epoll_create1(0);
  watch(epoll, EPOLL_CTL_ADD, listener, EPOLLIN);
  for (struct epoll_event events[MAX_EVENTS];;) {
    int n = epoll_wait(epoll, events, MAX_EVENTS, -1);
    for (int i = 0; i < n; i++) {
      if (events[i].data.fd == listener) {
        accept_all(epoll, listener);
      } else {
        serve(epoll, &events[i]);
      }
    }
  }
}
