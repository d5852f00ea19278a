import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { PassThrough } from 'node:stream';
import { Refused } from '../../operations/Refused';
import type { CommandCall } from './Command';
import { findValue } from './options';

/**
 * Reads input that must not be an argument: from the file of `--file`, from a pipe, or from the terminal without
 * showing it.
 *
 * @param prompts - Description of each expected line.
 *
 * @returns One line for each prompt.
 *
 * @throws Refused unless there are as many lines as prompts.
 */
export async function readSecrets(call: CommandCall, prompts: string[]): Promise<string[]> {
  const lines = await readLines(call, prompts);
  if (lines.length !== prompts.length) {
    throw new Refused(`${prompts.length} lines are expected (${prompts.join(', ')}), not ${lines.length}.`);
  }
  return lines;
}

async function readLines(call: CommandCall, prompts: string[]): Promise<string[]> {
  const file = findValue(call, 'file');
  if (file === undefined && call.input.isTTY) {
    return ask(call, prompts);
  }
  const content = file === undefined ? await text(call.input) : await readFile(file, 'utf8');
  return content.split('\n').map((line): string => line.trim()).filter((line): boolean => line !== '');
}

async function ask({ input, note }: CommandCall, prompts: string[]): Promise<string[]> {
  const unseen = new PassThrough().resume();
  const terminal = createInterface({ input, output: unseen, terminal: true });
  const lines: string[] = [];
  try {
    for (const prompt of prompts) {
      note(`${prompt} (not shown):`);
      lines.push((await terminal.question('')).trim());
    }
    return lines;
  } finally {
    terminal.close();
  }
}
