import {
  BasicRepresentation,
  HttpError,
  IdentifierMap,
  PassthroughStore,
  readableToString,
} from '@solid/community-server';
import type { ChangeMap, Representation, ResourceIdentifier, ResourceStore } from '@solid/community-server';
import { BoundedRulesStore } from '../../../../src/server/access/BoundedRulesStore';

/** Stores what is written. */
class KeepingStore extends PassthroughStore {
  public readonly written = new Map<string, string>();
  /** The last one given. */
  public given?: Representation;

  public override async getRepresentation({ path }: ResourceIdentifier): Promise<Representation> {
    this.given = new BasicRepresentation(this.written.get(path)!, { path }, 'text/turtle');
    return this.given;
  }

  public override async setRepresentation(
    { path }: ResourceIdentifier,
    { data }: Representation,
  ): Promise<ChangeMap> {
    this.written.set(path, await readableToString(data));
    return new IdentifierMap();
  }
}

const least = 64 * 1024;

describe('A store with a limit on access rules', (): void => {
  const kept = new KeepingStore({} as ResourceStore);
  const store = new BoundedRulesStore(kept);

  async function write(path: string, length: number): Promise<void> {
    await store.setRepresentation({ path }, new BasicRepresentation('x'.repeat(length), { path }, 'text/turtle'));
  }

  it.each([ 'http://localhost/.acl', 'http://localhost/a.acr' ])('refuses long ones: %s.', async(path): Promise<void> => {
    await expect(write(path, least + 1)).rejects.toMatchObject({
      statusCode: 413,
      message: `Access rules may have at most ${least} bytes.`,
    });
    await expect(write(path, least + 1)).rejects.toThrow(HttpError);
    expect(kept.written.has(path)).toBe(false);
    await write(path, least);
    expect(kept.written.get(path)).toHaveLength(least);
  });

  it('accepts any other document.', async(): Promise<void> => {
    await write('http://localhost/a.acl.ttl', least + 1);
    expect(kept.written.get('http://localhost/a.acl.ttl')).toHaveLength(least + 1);
  });

  it.each([ '.acl', 'a.acr' ])('denies access if stored ones are too long: %s.', async(name): Promise<void> => {
    const path = `http://localhost/long/${name}`;
    kept.written.set(path, 'x'.repeat(least + 1));
    await expect(store.getRepresentation({ path }, { type: { 'internal/quads': 1 }})).rejects
      .toMatchObject({ statusCode: 413 });
    expect(kept.given!.data.destroyed).toBe(true);
    const sent = await store.getRepresentation({ path }, { type: { 'text/turtle': 1 }});
    await expect(readableToString(sent.data)).resolves.toHaveLength(least + 1);
    kept.written.set(path, 'x'.repeat(least));
    const read = await store.getRepresentation({ path }, { type: { 'internal/quads': 1 }});
    await expect(readableToString(read.data)).resolves.toHaveLength(least);
  });
});
