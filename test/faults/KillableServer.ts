import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { childEnvironment } from '../../demo/lib/startProcess';

/** Such a process lives for seconds: optimisations would cost most of its time. */
const shortLived = [ '--min-semi-space-size=32', '--max-semi-space-size=64', '--no-opt', '--single-threaded-gc' ];
/** A server that has not obeyed a command, or started, within this time never will. */
const stuckMs = 90_000;
/** Maximum time from a failed order to a killed process, to the end of that process. */
const dyingMs = 5000;
const programs = join(__dirname, '../../scripts/faults');

/** A step of a server: a call that changes a file or folder, an SQL statement, or a response. */
export interface Step {
  call: string;
  /** Path of the file or folder, or beginning of the statement. */
  path: string;
  /** The new path. */
  to?: string;
  /** True when it creates the file that it opens. */
  isNew?: boolean;
  /** Path of a copy of what it replaces or removes. */
  kept?: string;
  /** True for statements in a transaction, up to its end: without the commit, nothing of it is stored. */
  isUncommitted?: boolean;
  /** True when it only flushes earlier changes to the disk. */
  isFlush?: boolean;
}

/** Step before which a server ends, from 1. With `isTorn`, a write ends after half of it. */
export interface KillPoint {
  at: number;
  isTorn?: boolean;
  /** Freezes it there until it is thawed, instead of ending it. */
  isFrozen?: boolean;
  /** Folder for copies of replaced and removed files. */
  keep?: string;
}

/** Settings of a server's start. */
export interface ServerSettings {
  /** Folder of the compiled preset. */
  compiled: string;
  /** Flags of the server and of this package, by name. */
  flags: Record<string, string | number | boolean>;
  /** File to which its output is appended. */
  logFile: string;
}

const serverFlags = new Set([ 'baseUrl', 'loggingLevel', 'port', 'rootFilePath' ]);

/** The configured server, in a process that can be told to die before a step of its work. */
export class KillableServer {
  private constructor(
    private readonly child: ChildProcess,
    private readonly logFile: string,
    private readonly exited: Promise<unknown>,
  ) {}

  /**
   * Starts a server, and waits until it serves.
   *
   * @param settings - Settings of the start.
   * @param killAt - Step of the start before which it ends.
   *
   * @returns The server; `undefined` when it was killed as requested.
   */
  public static async start(settings: ServerSettings & { killAt: number }): Promise<KillableServer | undefined>;
  public static async start(settings: ServerSettings): Promise<KillableServer>;
  public static async start(
    { compiled, flags, logFile, killAt }: ServerSettings & { killAt?: number },
  ): Promise<KillableServer | undefined> {
    const log = openSync(logFile, 'a');
    const preloaded = [ 'quickLoad.js', 'steps.js' ].flatMap((name): string[] => [ '--require', join(programs, name) ]);
    const child = fork(join(programs, 'main.js'), [ JSON.stringify({ compiled, variables: toVariables(flags) }) ], {
      env: childEnvironment({ QUICK_LOAD_FILE: join(compiled, 'loaded'), KILL_AT: String(killAt ?? '') }),
      execArgv: [ ...shortLived, ...preloaded ],
      stdio: [ 'ignore', log, log, 'ipc' ],
    });
    closeSync(log);
    const server = new KillableServer(child, logFile, once(child, 'exit'));
    try {
      await server.answered('ready');
    } catch (error: unknown) {
      if (killAt !== undefined && child.signalCode === 'SIGKILL') {
        return undefined;
      }
      throw error;
    }
    return server;
  }

  /** Makes it count its steps from now on, and end before one of them: 0 for none. */
  public async arm(point: KillPoint): Promise<void> {
    await this.order('arm', 'armed', point);
  }

  /** Ends the counting, and returns the steps. */
  public async disarm(): Promise<Step[]> {
    return (await this.order('disarm', 'steps')) as Step[];
  }

  /** Ends the counting. Returns false if it has been killed, which a step after its response does, too. */
  public async survives(): Promise<boolean> {
    const isKilled = this.exited.then((): boolean => true);
    try {
      await this.disarm();
      return true;
    } catch (error: unknown) {
      if (await Promise.race([ isKilled, setTimeout(dyingMs, false, { ref: false }) ])) {
        return false;
      }
      throw error;
    }
  }

  /** Makes it store how its modules are loaded, for later starts. */
  public async writeLoaded(): Promise<void> {
    await this.order('writeLoaded', 'written');
  }

  /** Makes it do its work of every minute now. */
  public async passMinute(): Promise<void> {
    await this.order('passMinute', 'passed');
  }

  /** Sets its clock ahead of the right one, or back if below 0. */
  public async stepClock(milliseconds: number): Promise<void> {
    await this.order('stepClock', 'stepped', milliseconds);
  }

  /** Its memory, in bytes. */
  public async memory(): Promise<number> {
    return await this.order('memory', 'memory') as number;
  }

  /** True while it is frozen. */
  public get isFrozen(): boolean {
    const [ , state ] = /\) (\w) /u.exec(readFileSync(`/proc/${this.child.pid}/stat`, 'utf8'))!;
    return state === 'T';
  }

  /** Resumes it. */
  public thaw(): void {
    this.child.kill('SIGCONT');
  }

  /** Kills it, whatever it is doing. */
  public async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }

  /** Waits until it is gone. */
  public async gone(): Promise<void> {
    await this.exited;
  }

  private async order(order: string, answer: string, options?: KillPoint | number): Promise<unknown> {
    const answered = this.answered(answer);
    this.child.send({ order, options });
    return answered;
  }

  private async answered(member: string): Promise<unknown> {
    const over = new AbortController();
    const message = await Promise.race([
      once(this.child, 'message').then(([ received ]): Record<string, unknown> => received as Record<string, unknown>),
      this.exited.then((): undefined => undefined),
      setTimeout(stuckMs, undefined, { signal: over.signal }).catch((): undefined => undefined),
    ]);
    over.abort();
    if (!message || !(member in message)) {
      const end = this.child.signalCode ?? this.child.exitCode ?? 'running';
      throw new Error(`The server did not answer (${end}):\n${readFileSync(this.logFile, 'utf8').slice(-4000)}`);
    }
    return message[member];
  }
}

function toVariables(flags: ServerSettings['flags']): Record<string, unknown> {
  return Object.fromEntries(Object.entries(flags).map(([ flag, value ]): [string, unknown] => [
    `urn:${serverFlags.has(flag) ? 'solid-server' : 'css-data-sharing'}:default:variable:${flag}`,
    value,
  ]));
}
