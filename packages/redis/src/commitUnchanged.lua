-- Writes the new amounts of some counters if nobody has changed the ledger since they were read.
--
-- KEYS[1]   the ledger's head: the token of the commit that changed the ledger last
-- KEYS[2…]  hashes, one per bucket: counter → amount
-- ARGV[1]   the token of this commit
-- ARGV[2]   the token that the head must bear
-- ARGV[3]   how long the head lives, in ms; 0: nothing is written
-- and then for each hash
--           how long it lives at least, in ms; "look" to see that it does, or "" if that was seen a moment ago;
--           how many words follow, 0 to look at its end alone; counter, new amount, counter, new amount, …
-- Reply     "<token> <1: written, 0: somebody has changed the ledger>"; an error "HALFWAY …" if it comes after something was written

-- The Lua stack holds a few thousand values. An even number, so that a counter and its amount stay together.
local PART = 2000

if ARGV[3] == '0' then
  if redis.call('GET', KEYS[1]) ~= ARGV[2] then return ARGV[1] .. ' 0' end
else
  -- One command where nobody has; a head that says otherwise is put back.
  local head = redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3], 'GET')
  if head ~= ARGV[2] then
    if head then redis.call('SET', KEYS[1], head, 'PX', ARGV[3]) else redis.call('DEL', KEYS[1]) end
    return ARGV[1] .. ' 0'
  end
end

local at = 4
local written = false
for k = 2, #KEYS do
  local n = tonumber(ARGV[at + 2])
  local first = at + 3
  local made = 0
  for from = 0, n - 1, PART do
    local new = redis.pcall('HSET', KEYS[k], unpack(ARGV, first + from, first + math.min(from + PART, n) - 1))
    -- Somebody has made something else of the key. To look at each before the first is written would cost a command for each.
    if type(new) == 'table' then return written and redis.error_reply('HALFWAY ' .. new.err) or new end
    made = made + new
    written = true
  end
  -- A hash in which every counter was there already has its end: whoever made it gave it one.
  if made > 0 or ARGV[at + 1] ~= '' then
    if redis.call('PTTL', KEYS[k]) < tonumber(ARGV[at]) then redis.call('PEXPIRE', KEYS[k], ARGV[at]) end
  end
  at = first + n
end
return ARGV[1] .. ' 1'
