import { normaliseShareRequest } from '../../../src/api/personalData';
import { BodyInvalid } from '../../../src/problems';

describe('A choice of values', (): void => {
  it.each<[unknown, unknown]>([
    [{ dataValues: [ 'a' ]}, { dataValues: [ 'a' ]}],
    [[ 'a', 'b' ], { dataValues: [ 'a', 'b' ]}],
    [ '{"dataValues":["a"]}', { dataValues: [ 'a' ]}],
    [ '["a"]', { dataValues: [ 'a' ]}],
    [ 'kX3_-a', { dataValues: [ 'kX3_-a' ]}],
    [ '"kX3_-a"', { dataValues: [ 'kX3_-a' ]}],
    [{ id: 'a', type: 'urn:x:t', value: '{}' }, { dataValues: [ 'a' ]}],
    [[{ id: 'a', summary: null }, 'b' ], { dataValues: [ 'a', 'b' ]}],
    [{ dataValues: [{ id: 'a', error: []}]}, { dataValues: [ 'a' ]}],
    [ '{"dataValues":[{"id":"a"}]}', { dataValues: [ 'a' ]}],
    [[{ id: 1 }], { dataValues: [{ id: 1 }]}],
    [{ values: [ 'a' ]}, { values: [ 'a' ]}],
  ])('can be %j.', (body, choice): void => {
    expect(normaliseShareRequest(body)).toEqual(choice);
  });

  it('is refused if its text is malformed, with the reason.', (): void => {
    expect((): unknown => normaliseShareRequest('{"dataValues":["a"],"dataValues":["b"]}')).toThrow(BodyInvalid);
  });
});
