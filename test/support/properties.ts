import fc from 'fast-check';

/**
 * Seed of property tests and fuzzing: the same each time, so that CI is deterministic. `npm run fuzz` uses a random
 * one, and prints it with its findings; FUZZ_SEED repeats a run.
 */
export const seed = Number(process.env.FUZZ_SEED ?? 20_260_302);

fc.configureGlobal({ seed });

export { default as fc } from 'fast-check';
export * from 'fast-check';
