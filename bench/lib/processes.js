'use strict';

const { execFileSync } = require('node:child_process');
const { readdirSync, readFileSync } = require('node:fs');

const ticksPerSecond = Number(tryTo(() => execFileSync('getconf', [ 'CLK_TCK' ]).toString()) ?? 100);

/** Keeps a process and its threads on one core; false where that cannot be done. */
function pin(pid, core) {
  return tryTo(() => execFileSync('taskset', [ '-a', '-cp', String(core), String(pid) ], { stdio: 'ignore' })) !== undefined;
}

/** CPU time of a process and its threads until now, user and system, in milliseconds. */
function cpuMs(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 1000 / ticksPerSecond;
}

/** Resident memory and its proportional share, in MiB. */
function memoryMb(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const smaps = tryTo(() => readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1')) ?? '';
  return {
    rss: Number(/VmRSS:\s+(\d+)/u.exec(status)[1]) / 1024,
    pss: Number(/^Pss:\s+(\d+)/mu.exec(smaps)?.[1] ?? Number.NaN) / 1024,
  };
}

/** Whether CPU time can be read from outside of a process. */
function hasProc() {
  return tryTo(() => readdirSync('/proc/self')) !== undefined;
}

function tryTo(work) {
  try {
    return work();
  } catch {}
}

module.exports = { cpuMs, hasProc, memoryMb, pin };
