-- Writes the new amounts of some counters if nobody has changed the ledger since they were read.
--
-- KEYS[1]   the ledger's head: the token of the commit that changed the ledger last
-- KEYS[2…]  hashes, one per bucket: counter → amount
-- ARGV[1]   the token of this commit
-- ARGV[2]   the token that the head must bear
-- ARGV[3]   how long the head lives, in ms
-- and then for each hash
--           how long it lives at least, in ms; how many words follow; counter, new amount, counter, new amount, …
-- Reply     "<token> <1: written, 0: somebody has changed the ledger>"
-- The Lua stack holds a few thousand values. An even number, so that a counter and its amount stay together.
local PART = 2000

if redis.call('GET', KEYS[1]) ~= ARGV[2] then return ARGV[1] .. ' 0' end

local at = 4
for k = 2, #KEYS do
  local lives, n = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
  local first = at + 2
  for from = 0, n - 1, PART do
    redis.call('HSET', KEYS[k], unpack(ARGV, first + from, first + math.min(from + PART, n) - 1))
  end
  if redis.call('PTTL', KEYS[k]) < lives then redis.call('PEXPIRE', KEYS[k], lives) end
  at = first + n
end
if #KEYS > 1 then redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3]) end
return ARGV[1] .. ' 1'
