import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildId } from '../../../src/platform/buildId';

describe('The id of a build', (): void => {
  let root: string;
  let code: string;

  beforeEach((): void => {
    root = mkdtempSync(join(tmpdir(), 'build-'));
    code = join(root, 'dist');
    mkdirSync(join(code, 'deep'), { recursive: true });
    writeFileSync(join(root, 'package.json'), '{ "version": "1.2.3" }');
    writeFileSync(join(code, 'deep', 'one.ts'), 'one');
  });

  afterEach((): void => {
    rmSync(root, { recursive: true });
  });

  it('is not a version, and is the same for the same code.', (): void => {
    expect(buildId()).toMatch(/^[\da-f]{12}$/u);
    expect(buildId()).toBe(buildId());
    expect(buildId(code)).not.toBe(buildId());
  });

  it.each([
    [ 'changes', 'dist/deep/one.ts', 'two' ],
    [ 'is added', 'dist/two.ts', '' ],
    [ 'is another release', 'package.json', '{ "version": "1.2.4" }' ],
  ])('changes when a file %s.', (_what, file, content): void => {
    const before = buildId(code);
    writeFileSync(join(root, file), content);
    expect(buildId(code)).not.toBe(before);
  });
});
