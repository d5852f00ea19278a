import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const file = join(__dirname, 'layout.json');

/** Records the positions of the parts of the pages, instead of comparing them with the record. */
const isRecording = process.env.LAYOUT === 'record';

/** States of the pages whose boxes are recorded, for each width of a window. */
const recorded = new Set([
  'consent',
  'check',
  'shared',
  'request',
  'home',
  'data',
  'overview',
  'detail',
  'stop',
  'activity',
  'identity',
  'erase-unticked',
]);

/** Left edge, distance from the top of the part before it, width and height, in px. */
type Box = readonly [ number, number, number, number ];

/** Boxes of a page in the order of its document, by name: `h2 3` is the third heading of its level. */
type Layout = Record<string, Box>;

interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A landmark, a heading, or something of the main part to press or to fill in. */
interface Part {
  name: string;
  /** For messages. */
  text: string;
  box: Rectangle;
  /** Its rectangles: one for each line of a text. */
  lines: Rectangle[];
  /** Where it can be pressed; undefined if it is not a control. */
  touched: Rectangle | null;
  /** Pixels that it is wide and high at least, when it is to be pressed. */
  least: readonly [ number, number ];
  /** True for a link in a line of text, or in a menu. */
  isFlowing: boolean;
  /** Indexes of the parts that contain it. */
  within: number[];
}

/**
 * Tolerance of a box in pixels, with a share of its size. Another font makes words wider and gives a text
 * another line, but does not move a part from beside it to below.
 */
const tolerance = [
  { what: 'left', px: 16, share: 0.1 },
  { what: 'top', px: 56, share: 0.15 },
  { what: 'width', px: 16, share: 0.15 },
  { what: 'height', px: 48, share: 0.25 },
] as const;

/**
 * Returns the faults in the layout of a page: parts that overlap, are outside of the window or too small to touch, and
 * parts that have moved since `LAYOUT=record`.
 *
 * @param page - Page in the language and width to check.
 * @param state - Name of the state of the page, and the width.
 */
export async function layoutFaults(page: Page, state: string): Promise<string[]> {
  const parts = await page.evaluate<Part[]>(`(${findParts.toString()})()`);
  const faults = brokenRules(parts, page.viewportSize()!.width);
  if (!recorded.has(state.replace(/-\d+$/u, ''))) {
    return faults;
  }
  if (isRecording) {
    record(state, boxesOf(parts));
    return faults;
  }
  return [ ...faults, ...differences(readRecord()[state] ?? {}, boxesOf(parts)) ];
}

function differences(before: Layout, now: Layout): string[] {
  const names = [ ...new Set([ ...Object.keys(before), ...Object.keys(now) ]) ];
  return names.flatMap((name): string[] => {
    if (before[name] === undefined || now[name] === undefined) {
      return [ `${name} ${before[name] === undefined ? 'is new' : 'is gone'}` ];
    }
    return tolerance.flatMap(({ what, px, share }, at): string[] => {
      const [ was, is ] = [ before[name][at], now[name][at] ];
      return Math.abs(is - was) > px + share * Math.abs(was) ? [ `${name}: ${what} is ${is}, was ${was}` ] : [];
    });
  });
}

function readRecord(): Record<string, Layout> {
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, Layout>;
}

/** One group of lines for each state and one line for each box, sorted, so that a change is readable in a diff. */
function record(state: string, boxes: Layout): void {
  const all = Object.entries({ ...readRecord(), [state]: boxes }).sort(([ one ], [ other ]): number =>
    one < other ? -1 : 1);
  const lines = all.map(([ name, parts ]): string => `  ${JSON.stringify(name)}: {\n${Object.entries(parts)
    .map(([ part, box ]): string => `    ${JSON.stringify(part)}: [ ${box.join(', ')} ]`).join(',\n')}\n  }`);
  writeFileSync(file, `{\n${lines.join(',\n')}\n}\n`);
}

/** Names the boxes, except links that are where their words are: only rules apply to them. */
function boxesOf(parts: readonly Part[]): Layout {
  const boxes: Layout = {};
  const counts: Record<string, number> = {};
  let above = 0;
  for (const { name, box: { x, y, width, height }} of parts.filter(({ isFlowing }): boolean => !isFlowing)) {
    counts[name] = (counts[name] ?? 0) + 1;
    boxes[`${name} ${counts[name]}`] = [ Math.round(x), Math.round(y - above), Math.round(width), Math.round(height) ];
    above = y;
  }
  return boxes;
}

/** Returns the faults that no page may have, in any state. */
function brokenRules(parts: readonly Part[], innerWidth: number): string[] {
  return parts.flatMap((part, at): string[] => {
    const { box: { x, width }, least: [ leastWidth, leastHeight ], text, touched, within } = part;
    return [
      ...x < -1 || x + width > innerWidth + 1 ? [ `${text} leaves the window` ] : [],
      ...touched && (touched.width < leastWidth || touched.height < leastHeight) ?
          [ `${text} is under ${leastWidth} by ${leastHeight} px` ] :
          [],
      ...parts.slice(0, at).filter((other, place): boolean => !within.includes(place) && areOver(part, other))
        .map((other): string => `${text} is over ${other.text}`),
    ];
  });
}

/** True when a rectangle of one part overlaps one of the other. A text over two lines has a rectangle for each. */
function areOver(one: Part, other: Part): boolean {
  return one.lines.some((line): boolean => other.lines.some(({ x, y, width, height }): boolean =>
    Math.min(line.x + line.width, x + width) - Math.max(line.x, x) > 2 &&
    Math.min(line.y + line.height, y + height) - Math.max(line.y, y) > 2));
}

/** Runs in the page: returns its parts in document order. */
function findParts(): Part[] {
  const pressed = 'main :is(a, button, input, select, textarea)';
  const menu = ':is(header, nav) a';
  const all = document.querySelectorAll(`header, nav, main, footer, main :is(h1, h2, h3), ${pressed}, ${menu}`);
  const shown = Array.from(all, (part: Element): Element => part)
    .filter((part): boolean => part.checkVisibility() && part.getClientRects().length > 0);
  return shown.map((part): Part => ({
    name: part.localName,
    text: `${part.localName} “${part.textContent.trim().slice(0, 30)}”`,
    box: part.getBoundingClientRect().toJSON() as Rectangle,
    lines: Array.from(part.getClientRects(), (line: DOMRect): Rectangle => line.toJSON() as Rectangle),
    // The label of a box can be pressed, too. Links in a line of text are as high as the line.
    touched: part.matches(`:is(${pressed}, ${menu})`) && getComputedStyle(part).display !== 'inline' ?
        (part.closest('label') ?? part).getBoundingClientRect().toJSON() as Rectangle :
      null,
    least: part.matches('.btn, .choice *') ? [ 44, 44 ] : [ 24, part.matches(menu) ? 44 : 24 ],
    isFlowing: part.matches(menu) || (part.matches('a') && getComputedStyle(part).display === 'inline'),
    within: shown.flatMap((other, at): number[] => other !== part && other.contains(part) ? [ at ] : []),
  }));
}
