import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ReceivedBody } from '../../../../src/server/bodies/ReceivedBody';

describe('A body', (): void => {
  it.each([ 0, 1, 65_536, 65_537, 1_000_000 ])('of %i bytes is kept unchanged.', async(size): Promise<void> => {
    const sent = Buffer.from(Array.from({ length: size }, (_, at): number => at % 251));
    const chunks = [ sent.subarray(0, 10), sent.subarray(10, 70_000), sent.subarray(70_000) ];
    const body = await ReceivedBody.receive(Readable.from(chunks, { objectMode: false }));
    expect((await buffer(body.read())).equals(sent)).toBe(true);
    await body.close();
  });

  it('can arrive as text.', async(): Promise<void> => {
    const body = await ReceivedBody.receive(Readable.from([ 'één ', 'twee' ]));
    expect((await buffer(body.read())).toString()).toBe('één twee');
    await body.close();
  });

  it.each([ 10, 200_000 ])('that breaks off after %i bytes is refused.', async(size): Promise<void> => {
    const sent = new PassThrough();
    const received = ReceivedBody.receive(sent);
    sent.write(Buffer.alloc(size));
    sent.destroy(new Error('gone'));
    await expect(received).rejects.toThrow('gone');
  });
});
