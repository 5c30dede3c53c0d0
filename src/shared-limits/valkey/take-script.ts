/**
 * Takes from one bucket: what BucketOwner does with its own, in one step of the server and by its clock. KEYS[1]: the bucket.
 * ARGV: LimitTake's wanted, least, used, back and owner; the owner of a bucket that is new; the pace in microseconds; then of each window how many
 * microseconds a token takes, its burst, and the debt that the agent knows of, in microseconds. Answers texts: tokens granted, how long to wait
 * in microseconds, the owner, and the debts. The value is `OWNER TIME DEBT…`: debts are small numbers, so that none is rounded away.
 */
export const takeScript = `
local function number(text)
  local found = tonumber(text)
  if not found or found ~= found or math.abs(found) == math.huge then error('no value of Gatewright') end
  return found
end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local wanted, least, used, back = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local known, pace, count = ARGV[5], tonumber(ARGV[7]), (#ARGV - 7) / 3
local owner, at, debts = ARGV[6], now, {}
local kept = redis.call('GET', KEYS[1])
if kept then
  local part = string.gmatch(kept, '%S+')
  owner, at = part(), number(part())
  for w = 1, count do debts[w] = number(part()) end
end
local left, longest = nil, 0
for w = 1, count do
  local interval, burst = tonumber(ARGV[5 + 3 * w]), tonumber(ARGV[6 + 3 * w])
  local debt = math.max(0, (debts[w] or 0) - math.max(0, now - at))
  if known == owner then debt = math.max(0, debt - back * interval)
  else debt = math.max(debt, math.min(tonumber(ARGV[7 + 3 * w]), burst * interval)) end
  debts[w] = debt + used * interval
  local free = math.max(0, math.floor(burst - debts[w] / interval + 0.000001))
  left = left and math.min(left, free) or free
end
local granted = left < least and 0 or math.min(wanted, left, math.max(least, math.floor(left / 2)))
local wait = 0
local texts = {}
for w = 1, count do
  local interval, burst = tonumber(ARGV[5 + 3 * w]), tonumber(ARGV[6 + 3 * w])
  debts[w] = debts[w] + granted * interval
  wait = math.max(wait, debts[w] - (burst - 1) * interval)
  longest = math.max(longest, debts[w])
  texts[w] = string.format('%.17g', debts[w])
end
if granted < wanted then wait = math.max(wait, pace) else wait = 0 end
if longest > 0 then
  redis.call('SET', KEYS[1], owner .. ' ' .. string.format('%.0f', now) .. ' ' .. table.concat(texts, ' '), 'PX', math.ceil(math.min(longest / 1000, 300000000000)) + 1)
elseif kept then
  redis.call('DEL', KEYS[1])
end
return {string.format('%.0f', granted), string.format('%.17g', wait), owner, unpack(texts)}
`;
