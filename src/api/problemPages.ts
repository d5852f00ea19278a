import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One section of `docs/problems.md`: a problem type, and three paragraphs: title, what happened, what to do. */
export interface ProblemSection {
  name: string;
  paragraphs: string[];
}

let sections: ReadonlyMap<string, ProblemSection> | undefined;

/**
 * Reads the sections of a problem guide by name. Each section begins with `## name`.
 *
 * @param markdown - Headings and paragraphs, which may contain `code` and **strong** text but no other markup.
 */
export function readProblemGuide(markdown: string): ReadonlyMap<string, ProblemSection> {
  const parts = markdown.split(/^## /mu).slice(1);
  return new Map(parts.map((part): [string, ProblemSection] => {
    const [ name, ...paragraphs ] = part.trim().split(/\n\s*\n/u);
    return [ name.trim(), { name: name.trim(), paragraphs }];
  }));
}

/** An HTML page that explains a problem type; `undefined` when there is no type with this name. */
export function problemPage(name: string): string | undefined {
  sections ??= readProblemGuide(readFileSync(join(__dirname, '../../docs/problems.md'), 'utf8'));
  const section = sections.get(name);
  return section && render(section);
}

function render({ name, paragraphs: [ title, happened, remedy ] }: ProblemSection): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escape(name)}</title>
<h1>${escape(name)}</h1>
${[ title, happened, `**What to do:** ${remedy}` ].map((text): string => `<p>${inline(text)}</p>`).join('\n')}
</html>
`;
}

function inline(text: string): string {
  return escape(text)
    .replaceAll(/`([^`]+)`/gu, '<code>$1</code>')
    .replaceAll(/\*\*([^*]+)\*\*/gu, '<strong>$1</strong>');
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
