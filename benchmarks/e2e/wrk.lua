-- What wrk is told to ask for, and one line for e2e to read at the end.
-- With an argument N, requests go to each of N routes in turn, in an order drawn
-- beforehand.
local requests, next_request = {}, 0

function init(args)
  local routes = tonumber(args[1] or "0")
  if routes > 0 then
    math.randomseed(1)
    for i = 1, routes do
      local j = math.random(1, i)
      requests[i] = requests[j]
      requests[j] = wrk.format("GET", "/api/v1/resource" .. i - 1 .. "/vikram")
    end
    request = function()
      next_request = next_request % routes + 1
      return requests[next_request]
    end
  end
end

function done(summary, latency)
  local e = summary.errors
  io.write(string.format("e2e %d %d %d %d %d %d %d %d %d\n",
    summary.requests, summary.duration, e.connect, e.read, e.write, e.status, e.timeout,
    latency:percentile(99), latency.max))
end
