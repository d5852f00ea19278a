import {
  AbsolutePathInteractionRoute,
  NOTIFY,
  WebSocketChannel2023Type,
  XSD,
} from '@solid/community-server';
import { Parser, Store } from 'n3';
import { reuseShape } from '../../../../src/server/notifications/reuseShape';

const channel = `<#c> a <${NOTIFY.WebSocketChannel2023}>`;
const topic = `<${NOTIFY.topic}> <https://pod.example/a>`;

const requests = {
  'all right': `${channel}; ${topic} .`,
  'all right with an end': `${channel}; ${topic}; <${NOTIFY.endAt}> "2030-01-01T00:00:00Z"^^<${XSD.dateTime}> .`,
  'without a topic': `${channel} .`,
  'two subscriptions': `${channel}; ${topic} . <#d> a <${NOTIFY.WebSocketChannel2023}>; ${topic} .`,
  'two topics': `${channel}; ${topic}, <https://pod.example/b> .`,
  'a topic that is text': `${channel}; <${NOTIFY.topic}> "a" .`,
  'another type': `<#c> a <${NOTIFY.WebhookChannel2023}>; ${topic} .`,
  'two types': `${channel}, <https://example.org/T>; ${topic} .`,
  'an end that is no date': `${channel}; ${topic}; <${NOTIFY.endAt}> "tomorrow" .`,
  'two states': `${channel}; ${topic}; <${NOTIFY.state}> "1", "2" .`,
  'a property that is not known': `${channel}; ${topic}; <https://example.org/p> "1" .`,
};

/** A request that is all right but for further statements, about something else. */
function filled(count: number): string {
  const others = Array.from({ length: count }, (_, index): string => `<#other> <https://example.org/${index}> "1" .`);
  return `${channel}; ${topic} . ${others.join('\n')}`;
}

function channelType(): WebSocketChannel2023Type {
  return new WebSocketChannel2023Type(new AbsolutePathInteractionRoute('https://pod.example/channels/'));
}

async function resultOf(type: WebSocketChannel2023Type, turtle: string): Promise<object | string> {
  try {
    const made = await type.initChannel(new Store(new Parser({ baseIRI: 'https://a.example/' }).parse(turtle)), {});
    return { ...made, id: '', receiveFrom: '' };
  } catch (error: unknown) {
    return (error as Error).message;
  }
}

describe('A channel type that reads its shape once', (): void => {
  const stock = channelType();
  const once = channelType();
  reuseShape(once);

  it.each(Object.entries(requests))('gives the same result as the server for %s.', async(_, turtle): Promise<void> => {
    const expected = await resultOf(stock, turtle);
    await expect(resultOf(once, turtle)).resolves.toEqual(expected);
    // Nothing of the previous one remains.
    await expect(resultOf(once, requests['all right'])).resolves.toMatchObject({ topic: 'https://pod.example/a' });
  });

  it('refuses more statements than subscriptions have, before it looks for their faults.', async(): Promise<void> => {
    await expect(resultOf(once, filled(98))).resolves.toEqual(await resultOf(stock, filled(98)));
    await expect(resultOf(once, filled(99))).resolves.toBe('A subscription may have at most 100 statements.');
  });

  it('continues after its validator failed.', async(): Promise<void> => {
    const broken = new Store(new Parser({ baseIRI: 'https://a.example/' }).parse(requests['all right']));
    const match = broken.match.bind(broken);
    let asked = 0;
    jest.spyOn(broken, 'match').mockImplementation((...pattern): ReturnType<typeof match> => {
      asked += 1;
      if (asked > 1) {
        throw new Error('broken');
      }
      return match(...pattern);
    });
    await expect(once.initChannel(broken, {})).rejects.toThrow('broken');
    const wrong = requests['two topics'];
    await expect(resultOf(once, wrong)).resolves.toEqual(await resultOf(stock, wrong));
  });
});
