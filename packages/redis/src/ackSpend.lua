-- Takes the first events out of a queue if they are the ones that were seen, lowers the hot spend by what they had added, and remembers their ids.
--
-- KEYS[1]   the queue: a stream
-- KEYS[2]   a set: the digests of the request ids that wait
-- and then  for each shard two hashes of digests: of those acknowledged in even, and in odd stretches of time
-- and then  for each subject a hash: a minute or "unknown" → nano-dollars
-- ARGV[1]   the token of this call
-- ARGV[2…3] the first event: where it stands in the stream, and its request id
-- ARGV[4…5] the last one, the same way. What is between two that stand is what was seen: a failover takes from the end
-- ARGV[6]   the place after the last
-- ARGV[7]   how long a stretch of time is, in ms
-- ARGV[8]   how many shards follow
-- and then  for each shard: how many digests follow, digest, digest, …
-- and then  for each subject: how many fields follow, field, nano-dollars, field, nano-dollars, …
-- Reply     the token, and "1": taken out, or "0": the queue has moved on, nothing was done. An error: nothing was done, unless it begins with
--           HALFWAY. Amounts are text from end to end: a number of Lua would be cut at 2^53.

-- The Lua stack holds a few thousand values.
local PART = 2000

local function stands(found, at, id)
  if not found[1] or found[1][1] ~= at then return false end
  local fields = found[1][2]
  for i = 1, #fields, 2 do
    if fields[i] == 'id' then return fields[i + 1] == id end
  end
  return id == ''
end

if not stands(redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1), ARGV[2], ARGV[3]) then return { ARGV[1], '0' } end
if not stands(redis.call('XRANGE', KEYS[1], ARGV[4], ARGV[4]), ARGV[4], ARGV[5]) then return { ARGV[1], '0' } end

-- The server's clock, the only one that all callers share.
local now = redis.call('TIME')
local ms = now[1] * 1000 + math.floor(now[2] / 1000)
local stretch = tonumber(ARGV[7])
local number = math.floor(ms / stretch)
local shards = tonumber(ARGV[8])
local shardAt = 3 + number % 2
local hotAt = 3 + 2 * shards

-- Everything is looked at before the first is written: a key that somebody has made something else of is an error here.
redis.call('SCARD', KEYS[2])
local a = 9
for s = 0, shards - 1 do
  redis.call('HLEN', KEYS[shardAt + 2 * s])
  a = a + 1 + tonumber(ARGV[a])
end
local hot = a
for k = hotAt, #KEYS do
  local n = tonumber(ARGV[a])
  for i = a + 1, a + n, 2 do
    local amount = redis.call('HGET', KEYS[k], ARGV[i])
    if amount and not string.find(amount, '^%-?%d+$') then
      return redis.error_reply('ERR ' .. KEYS[k] .. ' is damaged: ' .. ARGV[i] .. ' is no whole number')
    end
  end
  a = a + 1 + n
end

-- This one is granted to a server without memory, and then so is the rest.
redis.call('XTRIM', KEYS[1], 'MINID', '=', ARGV[6])
a = 9
for s = 0, shards - 1 do
  local n = tonumber(ARGV[a])
  for from = a + 1, a + n, PART do
    local to = math.min(from + PART - 1, a + n)
    redis.call('SREM', KEYS[2], unpack(ARGV, from, to))
    local pairs = {}
    for i = from, to do
      pairs[#pairs + 1] = ARGV[i]
      pairs[#pairs + 1] = ''
    end
    redis.call('HSET', KEYS[shardAt + 2 * s], unpack(pairs))
  end
  -- Kept through the next stretch, and gone when this key's turn comes again.
  redis.call('PEXPIRE', KEYS[shardAt + 2 * s], string.format('%.0f', (number + 2) * stretch - ms))
  a = a + 1 + n
end
a = hot
for k = hotAt, #KEYS do
  local n = tonumber(ARGV[a])
  for i = a + 1, a + n, 2 do
    -- What an index has lost is not owed: nothing goes below 0.
    if redis.call('HEXISTS', KEYS[k], ARGV[i]) == 1 then
      if redis.call('HINCRBY', KEYS[k], ARGV[i], '-' .. ARGV[i + 1]) <= 0 then redis.call('HDEL', KEYS[k], ARGV[i]) end
    end
  end
  a = a + 1 + n
end
return { ARGV[1], '1' }
