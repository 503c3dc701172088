-- Raises a counter of one minute.
--
-- KEYS[1]   the counter; its minute is in its name
-- ARGV[1]   by how much
-- ARGV[2]   how long it is kept, in ms
-- Reply     the amount now, as text
local amount = redis.call('INCRBYFLOAT', KEYS[1], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return amount
