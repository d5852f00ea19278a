import { findCitizenName } from '../../../app/src/lib/citizenName';

const webId = 'https://pod.example/anna/profile/card#me';
const citizen = { webId, name: 'Anna' };

describe('The name of a citizen in the pages', (): void => {
  let answer: jest.Mock;

  beforeEach((): void => {
    answer = jest.fn();
    Object.assign(globalThis, { location: { origin: 'https://service.example' }});
    jest.spyOn(globalThis, 'fetch').mockImplementation(answer);
  });

  afterEach((): void => {
    jest.restoreAllMocks();
    Reflect.deleteProperty(globalThis, 'location');
  });

  it('is that of the log-in session.', async(): Promise<void> => {
    answer.mockResolvedValue(Response.json({ providers: [], citizen }));
    await expect(findCitizenName('https://service.example/', webId)).resolves.toBe('Anna');
    expect(String(answer.mock.calls[0][0])).toBe('https://service.example/.account/login/national/');
  });

  it.each([
    [ 'the log-in had none', { providers: []}, 200 ],
    [ 'somebody else logged in', { citizen: { ...citizen, webId: 'https://pod.example/jan/profile/card#me' }}, 200 ],
    [ 'the identity provider refuses', { citizen }, 404 ],
  ])('is empty when %s.', async(_, body, status): Promise<void> => {
    answer.mockResolvedValue(Response.json(body, { status }));
    await expect(findCitizenName('https://service.example/', webId)).resolves.toBeUndefined();
  });

  it('is not requested from an identity provider of another origin.', async(): Promise<void> => {
    await expect(findCitizenName('https://other.example/', webId)).resolves.toBeUndefined();
    expect(answer).not.toHaveBeenCalled();
  });
});
