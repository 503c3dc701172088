-- Admits a request by walking its rate plan: the definition, asked of every node's use. What `admitRatePlan` is compared with.
--
-- KEYS[1]  the plan, as JSON: ids, parents (an index, or false), children (indexes), rpm and tpm (a limit, or false)
-- KEYS[2]  hash: node → requests in this minute
-- KEYS[3]  hash: node → tokens in this minute
-- ARGV[1]  the caller's node, an index from 1
-- ARGV[2]  tokens
-- ARGV[3]  how long this minute's use lives, in ms
-- Reply    "allowed", or the first node that had no room: "rpm <node>", "tpm <node>"

-- The Lua stack holds a few thousand values.
local PART = 2000

local plan = cjson.decode(redis.call('GET', KEYS[1]))
local tokens = tonumber(ARGV[2])
local path, onPath = {}, {}
local at = tonumber(ARGV[1])
while at do
  path[#path + 1] = at
  onPath[at] = true
  at = plan.parents[at]
end

-- The nearest fixed nodes below this one, off the path.
local function fixedBelow(node, limits, found)
  for _, child in ipairs(plan.children[node]) do
    if not limits[child] then
      fixedBelow(child, limits, found)
    elseif not onPath[child] then
      found[#found + 1] = child
    end
  end
  return found
end

-- What these nodes have not used of their limits.
local function held(nodes, limits, key)
  local sum = 0
  for from = 1, #nodes, PART do
    local ids = {}
    for i = from, math.min(from + PART - 1, #nodes) do ids[#ids + 1] = plan.ids[nodes[i]] end
    local used = redis.call('HMGET', key, unpack(ids))
    for i = 1, #ids do sum = sum + math.max(0, limits[nodes[from + i - 1]] - (tonumber(used[i] or 0))) end
  end
  return sum
end

local function firstFull(limits, key, asked)
  for _, node in ipairs(path) do
    local limit = limits[node]
    if limit then
      local used = tonumber(redis.call('HGET', key, plan.ids[node]) or 0)
      if limit == 0 or used + held(fixedBelow(node, limits, {}), limits, key) + asked > limit then
        return plan.ids[node]
      end
    end
  end
end

local full = firstFull(plan.rpm, KEYS[2], 1)
if full then return 'rpm ' .. full end
full = firstFull(plan.tpm, KEYS[3], tokens)
if full then return 'tpm ' .. full end

for _, node in ipairs(path) do
  redis.call('HINCRBY', KEYS[2], plan.ids[node], 1)
  redis.call('HINCRBY', KEYS[3], plan.ids[node], ARGV[2])
end
redis.call('PEXPIRE', KEYS[2], ARGV[3])
redis.call('PEXPIRE', KEYS[3], ARGV[3])
return 'allowed'
