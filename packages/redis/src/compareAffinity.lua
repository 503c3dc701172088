-- Puts a text in place of another, if that is the one that is there.
--
-- KEYS[1]   "<until when, in ms since 1970> <text>"
-- ARGV[1]   now, in ms since 1970
-- ARGV[2]   "none", or "text" and then
-- ARGV[3]   the text that must be there
-- ARGV[4]   what to put there
-- ARGV[5]   how long it is kept, in ms
-- Reply     "1": it was put there, "0": something else is there, and lives as long as it did
local there = redis.call('GET', KEYS[1])
local now = nil
if there then
  local ends, text = string.match(there, '^(%S+) (.*)$')
  if ends and tonumber(ends) > tonumber(ARGV[1]) then now = text end
end
if ARGV[2] == 'none' then
  if now then return '0' end
elseif now ~= ARGV[3] then
  return '0'
end
redis.call('SET', KEYS[1], ARGV[4], 'PX', ARGV[5])
return '1'
