-- Counts a failure, and begins or prolongs a cooldown if there have been enough.
--
-- KEYS[1]   the failures of this minute
-- KEYS[2]   until when the deployment is in cooldown
-- ARGV[1]   how long failures are kept, in ms
-- ARGV[2]   how many put it in cooldown
-- ARGV[3]   until when, in ms since 1970
-- ARGV[4]   how long that is kept, in ms
-- Reply     "counted" or "cooled"
local count = redis.call('INCR', KEYS[1])
redis.call('PEXPIRE', KEYS[1], ARGV[1])
if count < tonumber(ARGV[2]) then return 'counted' end
local known = redis.call('GET', KEYS[2])
if not known or tonumber(known) < tonumber(ARGV[3]) then redis.call('SET', KEYS[2], ARGV[3], 'PX', ARGV[4]) end
return 'cooled'
