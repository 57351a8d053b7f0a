// The server with PlusWeb, a C++ server with a segment trie. Its source is not
// here: E2e compiles this against the folder that PLUSWEB names.
//
//   plusweb --addr 127.0.0.1:18080 [--routes N] [--body BYTES]
#include <PlusWeb/HttpServer.h>
#include <arpa/inet.h>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/syscall.h>

// PlusWeb listens on every interface. This stands in for the C library's bind,
// and listens on the loopback device alone.
extern "C" int bind(int fd, const struct sockaddr *address, socklen_t size) noexcept {
  if (address->sa_family != AF_INET) return syscall(SYS_bind, fd, address, size);
  struct sockaddr_in local;
  memcpy(&local, address, sizeof local);
  local.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return syscall(SYS_bind, fd, &local, size);
}

int main(int argc, char **argv) {
  int port = 18080, routes = 0;
  std::string body;
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string option = argv[i], value = argv[i + 1];
    if (option == "--addr") port = std::stoi(value.substr(value.rfind(':') + 1));
    if (option == "--routes") routes = std::stoi(value);
    if (option == "--body") body.assign(std::stoul(value), 'x');
  }
  signal(SIGPIPE, SIG_IGN); // a client that has gone is no reason to end
  HttpServer server(port);
  auto answer = [&body](const char *param) {
    return [&body, param](HttpRequest &request, HttpResponse &response) {
      response.status(200).send(body.empty() ? "Hello, " + request.params[param] + "!\n" : body);
    };
  };
  if (routes == 0) server.GET("/hello/:name", answer("name"));
  for (int i = 0; i < routes; i++) server.GET("/api/v1/resource" + std::to_string(i) + "/:id", answer("id"));
  server.serve([] {});
}
