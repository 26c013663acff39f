-- Calls of Lua functions and of C functions, tables, strings, closures, errors that are caught, and coroutines.
--
--   lua work.lua [TIMES]
local function fib(n) return n < 2 and n or fib(n - 1) + fib(n - 2) end

local function sorted(n)
  local t, seed = {}, 42
  for i = 1, n do
    seed = (seed * 1103515245 + 12345) % 2147483648
    t[i] = seed
  end
  table.sort(t, function(a, b) return a < b end)
  return t[n // 2]
end

local function words(n)
  local counts, text = {}, {}
  for i = 1, n do text[i] = ("word%d %s"):format(i % 97, tostring(i * i)) end
  for word in table.concat(text, " "):gmatch("%a+%d+") do counts[word] = (counts[word] or 0) + 1 end
  return counts.word42
end

local function numbers(n)
  return coroutine.wrap(function() for i = 1, n do coroutine.yield(i) end end)
end

local function failures(n)
  local caught = 0
  for i = 1, n do
    if not pcall(function() if i % 2 == 0 then error("even") end end) then caught = caught + 1 end
  end
  return caught
end

-- Arithmetic and tables, without a call.
local function sieve(n)
  local isComposite, primes = {}, 0
  for i = 2, n do
    if not isComposite[i] then
      primes = primes + 1
      for j = i * i, n, i do isComposite[j] = true end
    end
  end
  return primes
end

for _ = 1, tonumber(arg[1] or 1) do
  local sum = 0
  for i in numbers(20000) do sum = sum + i end
  print(fib(30), sieve(1000000), sorted(5000), words(20000), sum, failures(20000))
end
