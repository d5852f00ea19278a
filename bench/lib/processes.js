'use strict';

const { execFileSync } = require('node:child_process');
const { readdirSync, readFileSync, writeFileSync } = require('node:fs');
const { cpus } = require('node:os');
const started = require('../../demo/lib/startProcess');

const ticksPerSecond = Number(tryTo(() => execFileSync('getconf', [ 'CLK_TCK' ]).toString()) ?? 100);

/** Starts a program as the demo does, with more time, because the machine may be busy. */
function startProcess(options) {
  return started.startProcess({ readyMilliseconds: 600_000, ...options });
}

/** Pins a process and its threads to one core; returns false where that is not possible. */
function pin(pid, core) {
  return tryTo(() => execFileSync('taskset', [ '-a', '-cp', String(core), String(pid) ], { stdio: 'ignore' })) !== undefined;
}

/** Lets a process, its threads and its children use all cores. */
function unpin(pid) {
  for (const each of [ pid, ...childrenOf(pid) ]) {
    tryTo(() => execFileSync('taskset', [ '-a', '-cp', `0-${cpus().length - 1}`, String(each) ], { stdio: 'ignore' }));
  }
}

/** Returns the user and system CPU time of a process and its threads, in milliseconds. */
function cpuMs(pid) {
  const fields = statOf(pid);
  return (Number(fields[11]) + Number(fields[12])) * 1000 / ticksPerSecond;
}

/** Returns the CPU time of a process and its children, including children that have ended. */
function cpuMsOfAll(pid) {
  return childrenOf(pid).reduce((sum, each) => sum + (tryTo(() => cpuMs(each)) ?? 0), cpuMs(pid));
}

/** Returns the CPU time of the ended children of a process. */
function endedChildrenMs(pid) {
  const fields = statOf(pid);
  return (Number(fields[13]) + Number(fields[14])) * 1000 / ticksPerSecond;
}

function childrenOf(pid) {
  return readdirSync('/proc').filter(name => /^\d+$/u.test(name) && parentOf(name) === pid);
}

/** Returns the time at which a process was created, by the clock of `Date`. */
function startedAt(pid) {
  const [ uptime ] = readFileSync('/proc/uptime', 'latin1').split(' ');
  const age = Number(uptime) - (Number(statOf(pid)[19]) / ticksPerSecond);
  return Date.now() - (age * 1000);
}

/** Returns the parent of a process. */
function parentOf(pid) {
  return Number(tryTo(() => statOf(pid))?.[1]);
}

/** Returns the fields of `stat`, starting with the third one, the state. */
function statOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Returns the resident memory (RSS) and proportional set size (PSS), in MiB. */
function memoryMb(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const smaps = tryTo(() => readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1')) ?? '';
  return {
    rss: Number(/VmRSS:\s+(\d+)/u.exec(status)[1]) / 1024,
    pss: Number(/^Pss:\s+(\d+)/mu.exec(smaps)?.[1] ?? Number.NaN) / 1024,
  };
}

/** Returns the peak resident memory of a process since the last call, in MiB. */
function peakMemoryMb(pid) {
  const [ , peak ] = /VmHWM:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, 'latin1'));
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  return Number(peak) / 1024;
}

/** True where the CPU time of another process can be read. */
function hasProc() {
  return tryTo(() => readdirSync('/proc/self')) !== undefined;
}

function tryTo(work) {
  try {
    return work();
  } catch {}
}

module.exports = {
  cpuMs,
  cpuMsOfAll,
  endedChildrenMs,
  hasProc,
  memoryMb,
  parentOf,
  peakMemoryMb,
  pin,
  startedAt,
  startProcess,
  unpin,
};
