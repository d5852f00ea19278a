import { createHash } from 'node:crypto';
import { mentions } from '../../support/callers';

/** Fictitious, with a valid check number. */
const number = '85073003328';

describe('The search for national numbers', (): void => {
  it.each([
    `of ${number}.`,
    '85.07.30-033.28',
    '85%2E07%2e30%20033%2D28',
    ...[ '', 'a', 'ab', 'abc' ].map((before): string => Buffer.from(`${before}${number}}`).toString('base64')),
    Buffer.from(`{"citizen":"${number}"}`).toString('base64url'),
    Buffer.from(number).toString('hex'),
    createHash('sha256').update(number).digest('hex'),
    createHash('sha1').update(number).digest('base64'),
    createHash('md5').update(number).digest().toString('latin1'),
  ])('finds it in %s.', (text): void => {
    expect(mentions(text, number)).toBe(true);
    expect(mentions(Buffer.from(text, 'latin1'), number)).toBe(true);
  });

  it('finds no other.', (): void => {
    expect(mentions(`85073003229 ${Buffer.from('85073003229').toString('base64')}`, number)).toBe(false);
  });
});
