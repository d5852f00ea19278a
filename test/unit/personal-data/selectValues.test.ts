import type { Candidate } from '../../../src/personal-data/Candidates';
import { assertIds, selectValues } from '../../../src/personal-data/SharingService';
import { isSameRecord, valueId } from '../../../src/personal-data/valueId';
import { BodyInvalid, SourceUnavailable, ValueChanged, ValueInvalid, ValueUnknown } from '../../../src/problems';

const key = Buffer.alloc(32, 7);
const identity = { citizenId: 'c', dataType: 't', recordId: 'r', version: '1' };

function idOf(members: Partial<typeof identity> = {}): string {
  return valueId(key, { ...identity, ...members });
}

function candidate(id: string, members: Partial<Candidate> = {}): Candidate {
  return { value: { id, type: 't', summary: null }, record: { id: 'r', version: '1' }, ...members };
}

describe('The id of a value', (): void => {
  it('depends on citizen, type, record, version and key.', (): void => {
    const others = [
      idOf({ citizenId: 'd' }),
      idOf({ dataType: 'u' }),
      idOf({ recordId: 's' }),
      idOf({ version: '2' }),
      idOf({ citizenId: 'ct', dataType: '' }),
      valueId(Buffer.alloc(32, 8), identity),
    ];
    expect(new Set([ idOf(), ...others ]).size).toBe(7);
    expect(idOf()).toBe(idOf());
    expect(idOf()).toMatch(/^[\w.-]{45}$/u);
  });

  it('distinguishes versions of one record from other records.', (): void => {
    expect(isSameRecord(idOf(), idOf({ version: '2' }))).toBe(true);
    expect(isSameRecord(idOf(), idOf({ citizenId: 'd' }))).toBe(false);
    expect(isSameRecord(idOf(), idOf({ recordId: 's' }))).toBe(false);
  });
});

describe('The values to share', (): void => {
  const a = candidate(idOf({ recordId: 'a' }));
  const b = candidate(idOf({ recordId: 'b' }));
  const bad = candidate(idOf({ recordId: 'bad' }));
  bad.value.error = [{ value: 'wrong', language: 'en' }];

  it('are returned in the order of their ids.', (): void => {
    expect(selectValues([ a, b ], [ b.value.id, a.value.id ]).map(({ value }): string => value.id))
      .toEqual([ b.value.id, a.value.id ]);
  });

  it.each([
    [ 'is unknown', idOf({ recordId: 'z' }), ValueUnknown ],
    [ 'is of another citizen', idOf({ recordId: 'a', citizenId: 'd' }), ValueUnknown ],
    [ 'is nonsense', '', ValueUnknown ],
    [ 'has changed', idOf({ recordId: 'a', version: '0' }), ValueChanged ],
    [ 'has an error', idOf({ recordId: 'bad' }), ValueInvalid ],
  ])('are refused when one of them %s.', (reason, id, problem): void => {
    expect(reason).not.toBe('');
    expect((): unknown => selectValues([ a, b, bad ], [ a.value.id, id ])).toThrow(problem);
  });

  it('are refused with a reason for each, repeating nothing but ids.', (): void => {
    const changed = idOf({ recordId: 'a', version: '0' });
    const unknown = idOf({ recordId: 'z' });
    const ids = [ b.value.id, bad.value.id, changed, unknown, '85073099140' ];
    expect((): unknown => selectValues([ a, b, bad ], ids)).toThrow(expect.objectContaining({
      type: 'value-unknown',
      detail: expect.stringContaining(`${unknown}, dataValues[4] are not known here; ${changed} has changed`),
      members: { dataValues: [
        { index: 1, id: bad.value.id, problem: 'value-invalid', error: bad.value.error },
        { index: 2, id: changed, problem: 'value-changed' },
        { index: 3, id: unknown, problem: 'value-unknown' },
        { index: 4, problem: 'value-unknown' },
      ]},
    }));
  });

  it('are refused in the singular if there is one.', (): void => {
    const unknown = idOf({ recordId: 'z' });
    expect((): unknown => selectValues([ a, bad ], [ a.value.id, unknown, bad.value.id ])).toThrow(
      expect.objectContaining({ detail: `${unknown} is not known here; ${bad.value.id} has errors.` }),
    );
  });

  it('are not called unknown while a source that may have them is unavailable.', (): void => {
    const down = candidate(idOf({ recordId: '', version: 'failure' }), { record: undefined });
    Object.assign(down.value, { error: [], unavailable: true });
    expect((): unknown => selectValues([ a, down ], [ idOf({ recordId: 'z' }) ])).toThrow(SourceUnavailable);
    expect((): unknown => selectValues([ a, down ], [ down.value.id ])).toThrow(ValueInvalid);
    expect(selectValues([ a, down ], [ a.value.id ])).toHaveLength(1);
  });

  it('are between 1 and 50, without repetition.', (): void => {
    const many = [ ...Array.from({ length: 51 }).keys() ].map(String);
    expect((): unknown => assertIds([])).toThrow(BodyInvalid);
    expect((): unknown => assertIds(many)).toThrow(BodyInvalid);
    expect((): unknown => assertIds([ 'a', 'b', 'a' ])).toThrow(BodyInvalid);
    expect((): unknown => assertIds(many.slice(1))).not.toThrow();
  });
});
