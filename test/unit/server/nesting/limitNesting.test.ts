import { guardedStreamFrom } from '@solid/community-server';
import { limitNesting } from '../../../../src/server/nesting/limitNesting';

/** Reads a text in chunks, as from the network. */
async function read(text: string, type: string, pieceLength = 7): Promise<string> {
  const split = text.match(new RegExp(`[\\s\\S]{1,${pieceLength}}`, 'gu'))!;
  const pieces = guardedStreamFrom(split.map((each): Buffer => Buffer.from(each)));
  const parts: Buffer[] = [];
  for await (const part of await limitNesting(pieces, type)) {
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts).toString();
}

function nest(open: string, close: string, depth: number): string {
  return `${open.repeat(depth)}${close.repeat(depth)}`;
}

const many = '<b>'.repeat(200);
const brackets = '[({'.repeat(70);
const shallowXml = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "<c>">]><!-- <a> --> <a b="<a>" c=\'/>\'/>';

describe('The nesting depth of a document', (): void => {
  it.each([
    [ 'application/ld+json', nest('[', ']', 100) ],
    [ 'application/ld+json', `["${'['.repeat(200)}\\"${'{'.repeat(200)}", "\\\\"]` ],
    [ 'application/ld+json', `[${'{},[],'.repeat(300)}"é€😀"]` ],
    [ 'application/rdf+xml', nest('<a>', '</a>', 100) ],
    [ 'application/rdf+xml', `<a>${'<b/><b c="/"></b><b c=">" />'.repeat(200)}</a>` ],
    [ 'image/svg+xml', `<a><!-- ${many} --><![CDATA[${many}]]><?b ${many}?></a>` ],
    [ 'text/xml', shallowXml ],
    [ 'text/turtle', nest('[', ']', 500) ],
    [ 'text/n3', nest('[', ']', 100) ],
    [ 'text/n3', `"${brackets}\\"${brackets}" '${brackets}' "" <${'['.repeat(200)}> "" # ${brackets}\n <urn:#> ''` ],
    [ 'text/n3', `"""${brackets}" ""${brackets}\\"""${brackets}""" '''${brackets}''${brackets}'''` ],
    [ 'text/n3', `{} [] () # ${brackets}\r<urn:à${'('.repeat(200)}> p:\\) "a" <urn:\\u0041${'('.repeat(200)}>` ],
  ])('is allowed in %s.', async(type, text): Promise<void> => {
    await expect(read(text, type)).resolves.toBe(text);
  });

  it.each([
    [ 'application/ld+json', nest('[', ']', 101) ],
    [ 'application/ld+json; profile="x"', nest('{"a":', '}', 101) ],
    [ 'application/ld+json', `["${']'.repeat(200)}\\"${']'.repeat(200)}",${nest('[', ']', 101)}` ],
    [ 'application/ld+json', `["\\\\",${nest('[', ']', 101)}` ],
    [ 'application/rdf+xml', nest('<a b="/">', '</a>', 101) ],
    [ 'application/rdf+xml', nest('<a b=\'>\' c="/></a>">', '</a>', 101) ],
    [ 'image/svg+xml', nest('<a><!-- </a></a> --->', '</a>', 101) ],
    [ 'application/xml', nest('<a><![CDATA[ </a> ]] </a>]]>', '</a>', 101) ],
    [ 'text/xml', nest('<a><?x /></a> ?>', '</a>', 101) ],
    [ 'text/xml', `${shallowXml}${nest('<a>', '</a>', 101)}` ],
    [ 'text/n3', nest('[', ']', 101) ],
    [ 'text/n3', nest('[ "]" \'}\' <)> # ]\n', ']', 101) ],
    [ 'text/n3; charset=utf-8', nest('[ """]" ""]""" \'\'\'}\'\'\' "" <urn:#> ', ']', 101) ],
    [ 'text/n3', nest('( <= "\\"" ', ')', 101) ],
    [ 'text/n3', `<a> <=${'('.repeat(101)}` ],
    [ 'text/n3', `<<'a>' ${nest('(', ')', 101)}` ],
    [ 'text/n3', `# comment\r${nest('[', ']', 101)}` ],
    [ 'text/n3', `p:\\# p:\\' ${nest('[', ']', 101)}` ],
    [ 'text/n3', `p:${'\\)'.repeat(101)} ${nest('[', ']', 101)}` ],
    [ 'text/n3', `<urn:à'> <urn:\\u0041'> ${nest('[', ']', 101)}` ],
  ])('is refused in %s.', async(type, text): Promise<void> => {
    await expect(read(text, type)).rejects.toThrow('nested at most 100 deep');
  });

  it.each([
    '<a><b>',
    '<a><b/>',
    '<a',
    '<a b="',
    '<a></a',
    '<a/><!-- ',
    '<a><![CDATA[</a>',
    '<!DOCTYPE a [<!ENTITY b "<c>',
    '<',
  ])('is refused for truncated XML: %s.', async(text): Promise<void> => {
    await expect(read(text, 'application/rdf+xml')).rejects.toThrow('ends before it is complete');
  });

  it.each([
    shallowXml,
    '<!DOCTYPE a [<!ENTITY b \'<c d=">\'><!-- it\'s --><!ELEMENT a (b)>]>\n<a>it\'s</a>\n',
    '<?xml version="1.0"?><!DOCTYPE a PUBLIC "x>" "y"><a b="/"/>',
  ])('is accepted for complete XML: %s.', async(text): Promise<void> => {
    await expect(read(text, 'application/rdf+xml')).resolves.toBe(text);
  });

  it('is found anywhere in the document.', async(): Promise<void> => {
    const long = `<a>${'a'.repeat(1024 * 1024)}`;
    await expect(read(`${long}</a>`, 'application/xml', 997)).resolves.toHaveLength(long.length + 4);
    await expect(read(long + nest('<a>', '</a>', 100), 'application/xml', 997)).rejects.toThrow('at most 100 deep');
  });

  it('is not reached in JSON-LD that is too long to be parsed at once.', async(): Promise<void> => {
    const longest = `["${'x'.repeat((256 * 1024) - 4)}"]`;
    await expect(read(longest, 'application/ld+json', 65_536)).resolves.toBe(longest);
    await expect(read(`${longest} `, 'application/ld+json', 65_536)).rejects
      .toThrow('JSON-LD is read as RDF up to 262144 bytes.');
    await expect(read(`<a>${'x'.repeat(300_000)}</a>`, 'application/rdf+xml', 65_536)).resolves.toHaveLength(300_007);
  });
});
