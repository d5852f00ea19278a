'use strict';

// Compares the CPU time of two pieces of work in this process, alternating in rounds.

const { median } = require('./summary');

/**
 * @param work - The work to measure.
 * @param other - The work to compare it with.
 * @param options - Repetitions.
 * @param options.rounds - Of both.
 * @param options.iterations - Of each in a round; the same number is run as a warm-up before the first round.
 *
 * @returns CPU in milliseconds for one iteration, medians over rounds, and the median of the ratios of each round.
 */
async function alternate(work, other, { rounds, iterations }) {
  await repeat(work, iterations);
  await repeat(other, iterations);
  const measured = [];
  for (let round = 0; round < rounds; round += 1) {
    const first = round % 2 === 0 ? work : other;
    const second = round % 2 === 0 ? other : work;
    const times = [ await cpuOf(first, iterations), await cpuOf(second, iterations) ];
    const [ ours, theirs ] = round % 2 === 0 ? times : times.reverse();
    measured.push({ ours, theirs, ratio: ours / theirs });
  }
  return {
    cpu: median(measured.map(({ ours }) => ours)),
    other: median(measured.map(({ theirs }) => theirs)),
    ratio: median(measured.map(({ ratio }) => ratio)),
  };
}

/** Returns the mean CPU time in milliseconds of this many iterations, on all threads. */
async function cpuOf(work, iterations) {
  const before = process.cpuUsage();
  await repeat(work, iterations);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / iterations;
}

async function repeat(work, iterations) {
  for (let index = 0; index < iterations; index += 1) {
    await work(index);
  }
}

/** @param rows - With `name`, `cpu`, `other`, `ratio` and the ratio to reach, `to`. */
function printRatios(rows) {
  console.log([ '', 'CPU ms', 'of the other', 'ratio', 'to reach' ].map(cell).join(''));
  for (const { name, cpu, other, ratio, to } of rows) {
    console.log([ name, cpu.toFixed(4), other.toFixed(4), ratio.toFixed(3), `${to}` ].map(cell).join(''));
  }
}

function cell(text, index) {
  return index === 0 ? text.padEnd(34) : text.padStart(14);
}

module.exports = { alternate, cpuOf, printRatios };
