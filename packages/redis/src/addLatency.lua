-- Keeps a sample among the newest, oldest first.
--
-- KEYS[1]   a list of "<when, in ms since 1970> <ms>"
-- ARGV[1]   when
-- ARGV[2]   the sample
-- ARGV[3]   how many are kept
-- ARGV[4]   for how long, in ms
-- Reply     "kept"
local function when(sample) return tonumber(string.match(sample, '^%S+')) or 0 end

local sample = ARGV[1] .. ' ' .. ARGV[2]
local last = redis.call('LINDEX', KEYS[1], -1)
if not last or when(last) <= tonumber(ARGV[1]) then
  redis.call('RPUSH', KEYS[1], sample)
else
  -- One that comes late goes to its place; they are few.
  local all = redis.call('LRANGE', KEYS[1], 0, -1)
  local at = #all
  while at > 0 and when(all[at]) > tonumber(ARGV[1]) do at = at - 1 end
  table.insert(all, at + 1, sample)
  redis.call('DEL', KEYS[1])
  redis.call('RPUSH', KEYS[1], unpack(all))
end
redis.call('LTRIM', KEYS[1], -ARGV[3], -1)
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 'kept'
