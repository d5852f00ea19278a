import fc from 'fast-check';

/**
 * Seed of property tests and fuzzing: the same each time, so that CI judges a change and not the dice.
 * `npm run fuzz` throws them and names the seed of what it finds; FUZZ_SEED repeats it.
 */
export const seed = Number(process.env.FUZZ_SEED ?? 20_260_302);

fc.configureGlobal({ seed });

export { default as fc } from 'fast-check';
export * from 'fast-check';
