import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Theme } from '../../../src/platform/theme';
import { readTheme } from '../../../src/platform/theme';

const four = { nl: 'Kluis', fr: 'Coffre', de: 'Tresor', en: 'Vault' };
const usual = { name: four, operator: four, accent: '#0b4f5f', accentDark: '#86cfdd' };
const svg = '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0h9"/></svg>';

describe('The theme of an operator', (): void => {
  let folder: string;

  beforeEach(async(): Promise<void> => {
    folder = await mkdtemp(join(tmpdir(), 'theme-'));
  });

  afterEach(async(): Promise<void> => rm(folder, { recursive: true }));

  async function read(members: object | string, files: Record<string, string | Buffer> = {}): Promise<Theme> {
    const text = typeof members === 'string' ? members : JSON.stringify(members);
    await writeFile(join(folder, 'theme.json'), text);
    await Promise.all(Object.entries(files).map(async([ name, content ]): Promise<void> =>
      writeFile(join(folder, name), content)));
    return readTheme(folder, 'Sharing');
  }

  it('can have names, colours, pictures and a font.', async(): Promise<void> => {
    const font = Buffer.concat([ Buffer.from('wOF2'), Buffer.alloc(40) ]);
    const theme = await read({
      ...usual,
      logo: 'logo.svg',
      font: [ 'Atkinson Hyperlegible', 'serif' ],
      fontFile: 'own.woff2',
      links: { help: { nl: '/hulp', fr: '/aide', de: '/hilfe', en: 'https://help.example/' }},
    }, { 'logo.svg': svg, 'own.woff2': font });
    expect(theme.name).toEqual(four);
    expect(theme.links).toEqual({ help: { nl: '/hulp', fr: '/aide', de: '/hilfe', en: 'https://help.example/' }});
    expect([ ...theme.files.keys() ]).toEqual([ 'logo', 'font', 'style.css' ]);
    expect(theme.files.get('logo')).toEqual({ contentType: 'image/svg+xml', bytes: Buffer.from(svg) });
    const css = theme.files.get('style.css')!.bytes.toString();
    expect(css).toContain('--accent:#0b4f5f;--on-accent:#ffffff;--tint:#e7edef');
    expect(css).toContain('--accent:#86cfdd;--on-accent:#10171a;--tint:#1c292e');
    expect(css).toContain('--font:"Theme","Atkinson Hyperlegible",serif');
  });

  it.each<[string, object | string, string]>([
    [ 'that is not JSON', '{', 'theme.json' ],
    [ 'that is not an object', '[]', 'theme.json' ],
    [ 'with a member that there is not', { ...usual, colour: '#000000' }, 'colour' ],
    [ 'without names', { accent: '#000000' }, 'name' ],
    [ 'without a language', { ...usual, name: { ...four, fr: undefined }}, 'name' ],
    [ 'with an empty name', { ...usual, operator: { ...four, de: ' ' }}, 'operator' ],
    [ 'with control marks in a name', { ...usual, name: { ...four, en: 'Va\u202Eult' }}, 'name' ],
    [ 'with style in a colour', { ...usual, accent: '#000;}body{display:none' }, 'accent' ],
    [ 'with a name of a colour', { ...usual, accent: 'red' }, 'accent' ],
    [ 'with a pale colour', { ...usual, accent: '#9a9a9a' }, 'accent has a contrast of 2.8:1' ],
    [ 'with a colour that is too dark in the dark', { ...usual, accentDark: '#444444' }, 'accentDark has a contrast' ],
    [ 'with style in a font', { ...usual, font: [ 'x"; } body { display: none' ]}, 'font' ],
    [ 'with a font that is text', { ...usual, font: 'Arial' }, 'font' ],
    [ 'with a logo elsewhere', { ...usual, logo: '../logo.svg' }, 'logo' ],
    [ 'with a logo that is not there', { ...usual, logo: 'none.svg' }, 'none.svg' ],
    [ 'with a logo of another kind', { ...usual, logo: 'logo.gif' }, 'logo' ],
    [ 'with a link that is a script', { ...usual, links: { help: { ...four, nl: 'javascript:alert(1)' }}}, 'links' ],
    [ 'with a link that looks like a path', { ...usual, links: { help: { ...four, nl: '//x.example' }}}, 'links' ],
  ])('is refused if it is one %s.', async(_, members, named): Promise<void> => {
    await expect(read(members)).rejects.toThrow(named);
  });

  it.each([
    [ 'a script', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>' ],
    [ 'a handler', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>' ],
    [ 'HTML', '<svg xmlns="http://www.w3.org/2000/svg"><foreignObject/></svg>' ],
    [ 'a reference elsewhere', '<svg xmlns="http://www.w3.org/2000/svg"><image href="https://x.example/"/></svg>' ],
    [ 'entities', '<!DOCTYPE svg [<!ENTITY a "b">]><svg xmlns="http://www.w3.org/2000/svg">&a;</svg>' ],
    [ 'no picture', 'hello' ],
    [ 'too much', `${svg}${' '.repeat(20_000)}` ],
  ])('cannot have a logo with %s.', async(_, content): Promise<void> => {
    await expect(read({ ...usual, logo: 'logo.svg' }, { 'logo.svg': content })).rejects.toThrow('logo.svg');
  });

  it('cannot have a font that is another kind of file.', async(): Promise<void> => {
    await expect(read({ ...usual, fontFile: 'own.woff2' }, { 'own.woff2': 'MZ' })).rejects.toThrow('own.woff2');
  });

  it('must be an existing folder.', (): void => {
    expect((): unknown => readTheme(join(folder, 'none'), 'Sharing'))
      .toThrow(`--theme: ${join(folder, 'none/theme.json')}: there is no such file`);
  });

  it('has only the name of the service when it is not set.', (): void => {
    const name = { nl: 'Sharing', fr: 'Sharing', de: 'Sharing', en: 'Sharing' };
    expect(readTheme('', 'Sharing')).toEqual({ name, links: {}, files: new Map() });
  });
});
