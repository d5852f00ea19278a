/** Returns a generator of numbers from 0 up to a limit, determined by the seed: mulberry32. */
export function dice(seed: number): (limit: number) => number {
  let state = seed;
  return (limit): number => {
    state = (state + 0x6D2B79F5) % 2 ** 32;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}
