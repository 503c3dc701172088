-- Adds to the counters of one ledger if the verdicts behind the additions still stand, and tells what the counters hold.
--
-- KEYS[1]   the ledger's head: the token of the commit that changed the ledger last
-- KEYS[2…]  hashes, one per bucket: counter → amount
-- ARGV[1]   the token of this commit
-- ARGV[2]   how long the head lives, in ms
-- and then for each hash
--           how long it lives at least, in ms; "look" to see that it does, or "" if that was seen a moment ago;
--           how many counters follow
--           the counters
--           a bound for each: "" none, "7" at most 7, "=7" exactly 7
--           an addition for each: "" none
-- Reply     "<token> <1: added, 0: some verdict has fallen> <the head as it was, or -> <amount> <amount> …"
--           in one string, since a number past 2^53 would be cut
local MOST = 9007199254740991
-- The Lua stack holds a few thousand values.
local PART = 2000

local head = redis.call('GET', KEYS[1])
local stands = true
local additions = false
local read, count, lives, looks, first = {}, {}, {}, {}, {}
local at = 3
for k = 2, #KEYS do
  local n = tonumber(ARGV[at + 2])
  local fields = at + 3
  local amounts
  if n <= PART then
    amounts = redis.call('HMGET', KEYS[k], unpack(ARGV, fields, fields + n - 1))
  else
    amounts = {}
    for from = 0, n - 1, PART do
      local part = redis.call('HMGET', KEYS[k], unpack(ARGV, fields + from, fields + math.min(from + PART, n) - 1))
      for i = 1, #part do amounts[from + i] = part[i] end
    end
  end
  for i = 1, n do
    local amount = amounts[i] or '0'
    amounts[i] = amount
    local bound = ARGV[fields + n + i - 1]
    local addition = ARGV[fields + 2 * n + i - 1]
    if bound ~= '' then
      if string.byte(bound) == 61 then
        if tonumber(amount) ~= tonumber(string.sub(bound, 2)) then stands = false end
      elseif tonumber(amount) > tonumber(bound) then
        stands = false
      end
    end
    if addition ~= '' then
      additions = true
      local sum = tonumber(amount) + tonumber(addition)
      if sum > MOST or sum < -MOST then stands = false end
    end
  end
  read[k], count[k], lives[k], looks[k], first[k] = amounts, n, tonumber(ARGV[at]), ARGV[at + 1] ~= '', fields
  at = fields + 3 * n
end

if stands and additions then
  for k = 2, #KEYS do
    local n, amounts, fields = count[k], read[k], first[k]
    local write, w = {}, 0
    for i = 1, n do
      local addition = ARGV[fields + 2 * n + i - 1]
      if addition ~= '' then
        amounts[i] = string.format('%.0f', tonumber(amounts[i]) + tonumber(addition))
        write[w + 1] = ARGV[fields + i - 1]
        write[w + 2] = amounts[i]
        w = w + 2
      end
    end
    -- A hash in which every counter was there already has its end: whoever made it gave it one.
    for from = 1, w, PART do
      if redis.call('HSET', KEYS[k], unpack(write, from, math.min(from + PART - 1, w))) > 0 then looks[k] = true end
    end
  end
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
end

-- A hash without an end (-1) would stay for ever: whoever finds one gives it one. One that is not there has -2.
for k = 2, #KEYS do
  if looks[k] then
    local left = redis.call('PTTL', KEYS[k])
    if left ~= -2 and left < lives[k] then redis.call('PEXPIRE', KEYS[k], lives[k]) end
  end
end

local reply = { ARGV[1], stands and '1' or '0', head or '-' }
local r = 3
for k = 2, #KEYS do
  local amounts = read[k]
  for i = 1, count[k] do
    r = r + 1
    reply[r] = amounts[i]
  end
end
return table.concat(reply, ' ')
