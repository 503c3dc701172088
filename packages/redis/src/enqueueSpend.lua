-- Appends events to a queue, each of them once, and raises the hot spend of whoever bears them.
--
-- KEYS[1]   the queue: a stream
-- KEYS[2]   a set: the digests of the request ids that wait
-- and then for each event
--           two hashes that know its digest if it was acknowledged, in an even and in an odd stretch of time
--           for each of its subjects, where it costs anything, a hash: a minute or "unknown" → nano-dollars
-- ARGV[1]   the token of this call
-- and then for each event seven words
--           digest, request id, what is kept beside the event, the event, nano-dollars, the minute it started in or "unknown",
--           how many hashes of subjects it has among the KEYS
-- Reply     the token, and for each event "queued", "known", or "fault <why>": nothing of that one is written. An error: nothing at all is;
--           one that begins with HALFWAY: some events may be.
--           Amounts are text from end to end: a number of Lua would be cut at 2^53.
local reply = { ARGV[1] }
local written = false

local k = 3
for a = 2, #ARGV, 7 do
  local digest, cost, minute, hashes = ARGV[a], ARGV[a + 4], ARGV[a + 5], tonumber(ARGV[a + 6])
  local said
  for i = k, k + 1 do
    local known = redis.pcall('HEXISTS', KEYS[i], digest)
    if known == 1 then said = 'known' elseif known ~= 0 then said = 'fault ' .. known.err end
  end
  if not said then
    -- The first write. One that is refused (no memory, a replica) is an error, so that the client sees what kind it is.
    local new = redis.pcall('SADD', KEYS[2], digest)
    if new == 0 then
      said = 'known'
    elseif new ~= 1 then
      return written and redis.error_reply('HALFWAY ' .. new.err) or new
    else
      written = true
      local last = k + 1
      local why
      while last < k + 1 + hashes and not why do
        local amount = redis.pcall('HINCRBY', KEYS[last + 1], minute, cost)
        if type(amount) == 'table' then why = amount.err else last = last + 1 end
      end
      if not why then
        local position = redis.pcall('XADD', KEYS[1], '*', 'id', ARGV[a + 1], 'beside', ARGV[a + 2], 'event', ARGV[a + 3])
        why = type(position) == 'table' and position.err or nil
      end
      if why then
        for i = k + 2, last do
          if redis.call('HINCRBY', KEYS[i], minute, '-' .. cost) == 0 then redis.call('HDEL', KEYS[i], minute) end
        end
        redis.call('SREM', KEYS[2], digest)
      end
      said = why and 'fault ' .. why or 'queued'
    end
  end
  reply[#reply + 1] = said
  k = k + 2 + hashes
end
return reply
