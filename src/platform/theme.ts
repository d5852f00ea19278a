import { join } from 'node:path';
import { isRecord } from './isRecord';
import { RefusedSetting } from './RefusedSetting';
import { codeOf, messageOf } from './errors';
import { readRegularFileSync, whyUnreadable } from './readRegularFile';
import { isOneOf } from './lists';
import { parseJson } from './parseJson';

/** A text in each language of the pages. */
export type InLanguages = Readonly<Record<'de' | 'en' | 'fr' | 'nl', string>>;

/** A file that the pages load. */
export interface ThemeFile {
  contentType: string;
  bytes: Buffer;
}

/** Appearance of a service's pages: name, colours, font and pictures. */
export interface Theme {
  /** Name of the service. */
  name: InLanguages;
  /** Organisation that runs the service; absent without a theme. */
  operator?: InLanguages;
  /** URLs in the footer, relative to the server. */
  links: Partial<Record<LinkName, InLanguages>>;
  /** Files that the pages load, by name: `logo`, `logo-dark`, `font`, `style.css`. */
  files: ReadonlyMap<string, ThemeFile>;
}

/** A link in the footer. */
export type LinkName = typeof linkNames[number];

/** Path below the base URL where the files of a theme are served. */
export const themePath = '.app/theme/';

const linkNames = [ 'privacy', 'accessibility', 'help' ] as const;
const members = [ 'name', 'operator', 'logo', 'logoDark', 'accent', 'accentDark', 'font', 'fontFile', 'links' ];
const maxNameLength = 80;
const maxLogoBytes = 20_000;
const maxFontBytes = 150_000;
/** Minimum contrast: WCAG 2.2, success criterion 1.4.3. */
const leastContrast = 4.5;
/** Background colours in style.css, and the share of the accent colour that tints them. */
const papers = { accent: '#ffffff', accentDark: '#10171a' } as const;
const defaultAccents = { accent: '#0b4f5f', accentDark: '#86cfdd' } as const;
const tintShare = 0.1;
const usualFonts = [ '-apple-system', 'Segoe UI', 'Roboto', 'Noto Sans', 'Helvetica Neue', 'Arial', 'sans-serif' ];
const genericFonts = new Set([ 'serif', 'sans-serif', 'monospace', 'system-ui', 'ui-serif', 'ui-sans-serif' ]);
/** Parts of pictures that run scripts, load files or show something else. */
const active = [
  /<(?:script|foreignObject|!DOCTYPE|!ENTITY|\?xml-stylesheet)/iu,
  /\son\w+\s*=|javascript:|@import/iu,
  /url\(\s*["']?(?!#)|(?:href|src)\s*=\s*["'](?!#)/iu,
];

type Members = Readonly<Record<string, unknown>>;
type Accent = keyof typeof papers;

/**
 * Reads an operator's theme: `theme.json`, in a folder with the files that it names.
 *
 * @param folder - `--theme`; empty for none.
 * @param serviceName - Name of a service without a theme.
 *
 * @throws RefusedSetting naming the flag, or the file and the invalid member.
 */
export function readTheme(folder: string, serviceName: string): Theme {
  if (folder === '') {
    return plainTheme(serviceName);
  }
  const file = join(folder, 'theme.json');
  try {
    const theme = readMembers(file);
    const files = new Map([
      ...readLogo(theme, 'logo', 'logo', folder),
      ...readLogo(theme, 'logoDark', 'logo-dark', folder),
      ...readFont(theme, folder),
    ]);
    const style = Buffer.from(styleOf(theme, files.has('font')));
    return {
      name: readNames(theme, 'name'),
      operator: readNames(theme, 'operator'),
      links: readLinks(theme),
      files: files.set('style.css', { contentType: 'text/css; charset=utf-8', bytes: style }),
    };
  } catch (error: unknown) {
    throw new RefusedSetting(`--theme: ${file}: ${messageOf(error)}`, { cause: error });
  }
}

/** Returns the default appearance, with one name in every language. */
export function plainTheme(name: string): Theme {
  return { name: { nl: name, fr: name, de: name, en: name }, links: {}, files: new Map() };
}

/**
 * Reads the name of the service.
 *
 * @param name - `--serviceName`.
 *
 * @throws RefusedSetting when it is not a name.
 */
export function readServiceName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '' || trimmed.length > maxNameLength || /\p{Cc}/u.test(trimmed)) {
    throw new RefusedSetting(`--serviceName must be a name of 1 to ${maxNameLength} characters`);
  }
  return trimmed;
}

function readMembers(file: string): Members {
  const theme = parseJson(readText(file));
  if (!isRecord(theme)) {
    throw new Error('must be a JSON object');
  }
  const unknown = Object.keys(theme).find((name): boolean => !members.includes(name));
  if (unknown !== undefined) {
    throw new Error(`there is no member ${unknown}: ${members.join(', ')}`);
  }
  // Null members count as absent.
  return Object.fromEntries(Object.entries(theme).filter(([ , value ]): boolean => value !== null));
}

function readText(file: string): string {
  try {
    return readRegularFileSync(file).toString();
  } catch (cause: unknown) {
    throw new Error(codeOf(cause) === 'ENOENT' ? 'there is no such file' : whyUnreadable(cause), { cause });
  }
}

function readNames(theme: Members, member: string): InLanguages {
  return inLanguages(theme[member], member, (text): boolean =>
    text.trim() !== '' && text.length <= maxNameLength && !/[\p{Cc}\p{Cf}]/u.test(text));
}

function readLinks({ links = {}}: Members): Theme['links'] {
  if (!isRecord(links) || Object.keys(links).some((name): boolean => !isOneOf(linkNames, name))) {
    throw new Error(`links must be an object with the members ${linkNames.join(', ')}`);
  }
  return Object.fromEntries(Object.entries(links).map(([ name, urls ]): [string, InLanguages] =>
    [ name, inLanguages(urls, `links.${name}`, isLink) ]));
}

/** Checks for a path of this server, or a URL of another one. */
function isLink(text: string): boolean {
  return /^\/(?![/\\])[^\s\\]*$/u.test(text) || (URL.canParse(text) && new URL(text).protocol === 'https:');
}

function inLanguages(value: unknown, member: string, isGood: (text: string) => boolean): InLanguages {
  const texts = isRecord(value) ? value : {};
  function textIn(language: keyof InLanguages): string {
    const text = texts[language];
    if (typeof text !== 'string' || !isGood(text)) {
      throw new Error(`${member} must have a valid text in language '${language}'`);
    }
    return text;
  }
  return { ...texts, nl: textIn('nl'), fr: textIn('fr'), de: textIn('de'), en: textIn('en') };
}

function readLogo(theme: Members, member: string, name: string, folder: string): [string, ThemeFile][] {
  const bytes = readNamed(theme, member, /\.(?:svg|png)$/u, maxLogoBytes, folder);
  if (!bytes) {
    return [];
  }
  const file = String(theme[member]);
  const isPng = file.endsWith('.png');
  const isPicture = isPng ? bytes.subarray(1, 4).toString() === 'PNG' : isStill(bytes.toString());
  if (!isPicture) {
    throw new Error(`${member}: ${file} must be an image without scripts, external styles or references`);
  }
  return [[ name, { contentType: isPng ? 'image/png' : 'image/svg+xml', bytes }]];
}

function isStill(text: string): boolean {
  return /<svg[\s>]/u.test(text) && !active.some((part): boolean => part.test(text));
}

function readFont(theme: Members, folder: string): [string, ThemeFile][] {
  const bytes = readNamed(theme, 'fontFile', /\.woff2$/u, maxFontBytes, folder);
  if (bytes && bytes.subarray(0, 4).toString() !== 'wOF2') {
    throw new Error(`fontFile: ${String(theme.fontFile)} must be a WOFF2 file`);
  }
  return bytes ? [[ 'font', { contentType: 'font/woff2', bytes }]] : [];
}

/** Reads the file in the folder that a member names. */
function readNamed(
  theme: Members,
  member: string,
  ending: RegExp,
  maxBytes: number,
  folder: string,
): Buffer | undefined {
  const name = theme[member];
  if (name === undefined) {
    return;
  }
  if (typeof name !== 'string' || !/^[\w-][\w.-]*$/u.test(name) || !ending.test(name)) {
    const suffix = ending.source.replaceAll(/[\\$?:]/gu, '');
    throw new Error(`${member} must name a file in the same folder that ends with ${suffix}`);
  }
  const path = join(folder, name);
  try {
    return readRegularFileSync(path, maxBytes);
  } catch (error: unknown) {
    throw new Error(`${member}: ${name} ${whyUnreadable(error)}`, { cause: error });
  }
}

/** Generates the values of the properties of style.css. Printed pages are white. */
function styleOf(theme: Members, hasFontFile: boolean): string {
  const font = `--font:${fontsOf(theme, hasFontFile).join(',')}`;
  const face = '@font-face{font-family:"Theme";font-weight:100 900;font-display:swap;src:url("font") format("woff2")}';
  return `${hasFontFile ? face : ''}
:root:root{${font}}
@media screen{:root:root{${coloursOf(theme, 'accent')}}}
@media screen and (prefers-color-scheme:dark){:root:root{${coloursOf(theme, 'accentDark')}}}
`;
}

function fontsOf({ font = usualFonts }: Members, hasFontFile: boolean): string[] {
  if (!Array.isArray(font) || !font.every(isFontName)) {
    throw new Error('font must be a list of names of fonts, of letters, digits, spaces and hyphens');
  }
  const names = font.map((name): string => genericFonts.has(name) || name.startsWith('-') ? name : `"${name}"`);
  return hasFontFile ? [ '"Theme"', ...names ] : names;
}

function isFontName(name: unknown): name is string {
  return typeof name === 'string' && /^[\w-][\w -]{0,60}$/u.test(name);
}

function coloursOf(theme: Members, member: Accent): string {
  const accent = theme[member] ?? defaultAccents[member];
  if (typeof accent !== 'string' || !/^#[\da-f]{6}$/iu.test(accent)) {
    throw new Error(`${member} must be a colour such as ${defaultAccents[member]}`);
  }
  const paper = papers[member];
  const tint = mix(accent, paper);
  // Text on the accent colour has the background colour, so both have the same contrast.
  for (const ground of [ paper, tint ]) {
    const found = contrast(accent, ground);
    if (found < leastContrast) {
      throw new Error(`${member} has a contrast of ${found.toFixed(1)}:1 with ${ground}: ${leastContrast}:1 at least`);
    }
  }
  return `--accent:${accent};--on-accent:${paper};--tint:${tint}`;
}

function mix(accent: string, paper: string): string {
  const [ top, ground ] = [ channels(accent), channels(paper) ];
  const mixed = top.map((value, at): number => Math.round(value * tintShare + ground[at] * (1 - tintShare)));
  return `#${mixed.map((value): string => value.toString(16).padStart(2, '0')).join('')}`;
}

/**
 * Computes the contrast ratio of two colours.
 *
 * @see [WCAG 2.2, contrast ratio](https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio)
 */
function contrast(one: string, other: string): number {
  const [ darker, lighter ] = [ luminance(one), luminance(other) ].sort((left, right): number => left - right);
  return (lighter + 0.05) / (darker + 0.05);
}

/** Computes the relative luminance ([WCAG 2.2](https://www.w3.org/TR/WCAG22/#dfn-relative-luminance)). */
function luminance(colour: string): number {
  const [ red, green, blue ] = channels(colour).map((value): number => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channels(colour: string): number[] {
  return [ 1, 3, 5 ].map((at): number => Number.parseInt(colour.slice(at, at + 2), 16));
}
