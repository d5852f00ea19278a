import { readFileSync } from 'node:fs';
import ts from 'typescript';

/**
 * Lists the full titles of the tests in a file as written: `suite › suite › test`, with the placeholders of tables.
 */
export function readTestTitles(path: string): string[] {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const titles: string[] = [];
  visit(source, []);
  return titles;

  function visit(node: ts.Node, suites: string[]): void {
    const call = ts.isCallExpression(node) ? readCall(node) : undefined;
    const within = call ? [ ...suites, call.title ] : suites;
    if (call?.name === 'it') {
      titles.push(within.join(' › '));
      return;
    }
    ts.forEachChild(node, (child): void => visit(child, within));
  }
}

/** Returns the title if a call defines a suite or test. */
function readCall({ expression, arguments: args }: ts.CallExpression): { name: string; title: string } | undefined {
  const [ title ] = args;
  const name = nameOf(expression);
  return (name === 'describe' || name === 'it') && title !== undefined && ts.isStringLiteralLike(title) ?
      { name, title: title.text } :
    undefined;
}

/** `it` in `it(…)`, `it.only(…)` and `it.each(…)(…)`. */
function nameOf(expression: ts.Expression): string | undefined {
  if (ts.isIdentifier(expression)) {
    return expression.text;
  }
  return ts.isPropertyAccessExpression(expression) || ts.isCallExpression(expression) ?
      nameOf(expression.expression) :
    undefined;
}
