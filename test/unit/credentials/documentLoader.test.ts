import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ContextUnknown, createDocumentLoader } from '../../../src/credentials/documentLoader';
import { CONTEXTS } from '../../../src/platform/contextFiles';

describe('A document loader', (): void => {
  it('returns every shipped context.', async(): Promise<void> => {
    const load = createDocumentLoader();
    for (const url of Object.values(CONTEXTS)) {
      const { document, documentUrl } = await load(url);
      expect(documentUrl).toBe(url);
      expect(document).toHaveProperty('@context');
    }
  });

  it('has a URL for every context file.', (): void => {
    const files = readdirSync(join(__dirname, '../../../templates/contexts'));
    expect(files.filter((file): boolean => file.endsWith('.json'))).toHaveLength(Object.keys(CONTEXTS).length);
  });

  it('returns a registered context.', async(): Promise<void> => {
    const own = { '@context': { name: 'https://schema.org/name' }};
    const load = createDocumentLoader(new Map([[ 'https://data.example/v1/contexts/one', own ]]));
    expect((await load('https://data.example/v1/contexts/one')).document).toBe(own);
  });

  it('does not let a registered context replace a shipped one.', async(): Promise<void> => {
    const load = createDocumentLoader(new Map([[ CONTEXTS.credentialsV2, { '@context': {}}]]));
    expect((await load(CONTEXTS.credentialsV2)).document).not.toEqual({ '@context': {}});
  });

  it('refuses any other URL.', async(): Promise<void> => {
    await expect(createDocumentLoader()('https://elsewhere.example/context')).rejects.toThrow(ContextUnknown);
  });
});
