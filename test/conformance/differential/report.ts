import type { Finding } from './Match';
import type { Difference } from './wanted';
import type { Step } from './steps';

const longest = 1500;

/** Formats a finding for people: the requests, and the responses to the last one. */
export function report({ steps, differences }: Finding): string {
  return [
    'These requests, one after the other in a new container, are answered differently at the end:',
    ...steps.map(asHttp),
    ...differences.map(asText),
  ].join('\n\n');
}

/** A step as an HTTP request. */
function asHttp({ caller, method, target, headers, body, bytes }: Step): string {
  const lines = Object.entries(headers).map(([ name, value ]): string => `${name}: ${value}`);
  const content = bytes === undefined ? body : `(bytes) ${bytes}`;
  return [
    `${method} ${target} HTTP/1.1`,
    ...caller === 'nobody' ? [] : [ `Authorization: Bearer (of ${caller})` ],
    ...lines,
    ...content === undefined ? [] : [ '', cut(content) ],
  ].join('\n');
}

function asText({ access, side, part, stock, ours, outcomes }: Difference): string {
  return [
    `${part} on ${side} with ${access}:`,
    `- stock: ${cut(stock ?? 'none')}`,
    `- ours:  ${cut(ours ?? 'none')}`,
    ...part === 'status' ? [ `  ours says ${cut(String(outcomes.ours.answer.body))}` ] : [],
  ].join('\n');
}

function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text;
}
