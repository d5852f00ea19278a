import { appendFile, mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { AppRunner } from '@solid/community-server';
import { CacheFolder } from '../../../../src/server/start/CacheFolder';
import { PlanCache } from '../../../../src/server/start/PlanCache';
import { PreparingAppRunner } from '../../../../src/server/start/PreparingAppRunner';
import { QuickAppRunner } from '../../../../src/server/start/QuickAppRunner';
import { instantiatePart } from '../../../../src/server/start/instantiatePart';
import { clockAhead } from '../../../support/clockAhead';
import type { SmallApp } from '../../../support/smallServer';
import { SmallServer } from '../../../support/smallServer';
import { removeFolder, temporaryFolder } from '../../../support/world';

/** Returns why an attempt failed, without the stack trace that the server puts into its messages. */
async function messageOf(creating: Promise<unknown>): Promise<string> {
  try {
    await creating;
    return 'no error';
  } catch (error: unknown) {
    return (error as Error).message.split('\n    at ')[0];
  }
}

describe('QuickAppRunner', (): void => {
  let folder: string;
  let kept: string;
  let server: SmallServer;

  beforeEach(async(): Promise<void> => {
    folder = await temporaryFolder();
    kept = join(folder, 'kept');
    server = await SmallServer.write(folder);
  });

  afterEach(async(): Promise<void> => {
    await removeFolder(folder);
  });

  async function create(runner: AppRunner, configs = [ 'resolver.json', 'app.json' ]): Promise<SmallApp> {
    return await runner.create({
      config: configs.map((name): string => server.config(name)),
      loaderProperties: { mainModulePath: server.folder, logLevel: 'error' },
    }) as unknown as SmallApp;
  }

  async function createQuick(configs?: string[]): Promise<SmallApp> {
    const cache = new PlanCache([ new CacheFolder(kept, process.geteuid!(), true) ]);
    return create(new QuickAppRunner(cache, clockAhead), configs);
  }

  /** Returns the options of the object from an ordinary start, and from our first and later ones. */
  async function expectSame(): Promise<void> {
    const stock = await create(new AppRunner());
    const first = await createQuick();
    const later = await createQuick();
    expect(first.options).toEqual(stock.options);
    expect(later.options).toEqual(stock.options);
  }

  async function entries(): Promise<string[]> {
    return readdir(kept).catch((): string[] => []);
  }

  /** Changes the cached plan, to see that it is used. */
  async function mark(from: string, to: string): Promise<void> {
    for (const name of await entries()) {
      const text = await readFile(join(kept, name), 'utf8');
      const content = text.slice(text.indexOf('\n') + 1).replaceAll(from, to);
      const digest = createHash('sha256').update(content).digest('hex');
      await writeFile(join(kept, name), `${digest}\n${content}`);
    }
  }

  it('creates the same objects as the server does, of every kind of value.', async(): Promise<void> => {
    await server.writeApp({
      name: 'it\'s "quoted"\n`$` \u2028',
      workers: 1,
      isOpen: false,
      share: '0.25',
      settings: { a: [ 1, null, { b: '\'' }], c: true },
      parts: { '@list': [ 'one', 'two' ]},
      first: { '@id': 'urn:small:part', '@type': 'small:Part', 'small:Part_name': 'shared' },
      second: { '@type': 'small:Part', 'small:Part_next': { '@id': 'urn:small:part' }},
    });
    await expectSame();
    const { options } = await createQuick();
    expect(options).toMatchObject({ workers: 1, isOpen: false, share: 0.25, parts: [ 'one', 'two' ]});
    // One object, wherever it is used.
    expect((options.second as SmallApp).options.next).toBe(options.first);
    await expect(entries()).resolves.toHaveLength(1);
  });

  it('uses the cached plan.', async(): Promise<void> => {
    await server.writeApp({ name: 'of the configuration' });
    await createQuick();
    await mark('of the configuration', 'kept');
    await expect(createQuick()).resolves.toMatchObject({ options: { name: 'kept' }});
  });

  it('prepares later starts without any setting.', async(): Promise<void> => {
    await server.writeApp({ name: 'of the configuration', failure: 'No object is made' });
    const cache = new PlanCache([ new CacheFolder(kept, process.geteuid!(), true) ]);
    const configs = [ 'resolver.json', 'app.json' ].map((name): string => server.config(name));
    const argv = [ 'node', 'server', '-m', server.folder, '-l', 'error', '-c', ...configs ];
    await new PreparingAppRunner(cache, clockAhead).prepare(argv);
    await mark('No object is made', 'Kept');
    await expect(createQuick()).rejects.toThrow('Kept');
    await expect(new PreparingAppRunner(cache, clockAhead).prepare(argv)).resolves.toBeUndefined();

    const nowhere = new PreparingAppRunner(new PlanCache([]), clockAhead);
    await expect(nowhere.prepare(argv)).rejects.toThrow('cannot be cached');
    await server.writeApp({ name: [ 'one', 'two' ]});
    await expect(new PreparingAppRunner(cache, clockAhead).prepare(argv)).rejects
      .toThrow('Detected multiple values for parameter');
  });

  it('makes a part without the rest, from the cached plan if there is one.', async(): Promise<void> => {
    const variable = { '@id': 'urn:small:variable:name', '@type': 'Variable' };
    const inner = { '@id': 'urn:small:inner', '@type': 'small:Part', 'small:Part_name': 'of the configuration' };
    await server.writeApp({
      parts: 'of the server',
      first: { '@id': 'urn:small:failing', '@type': 'small:App', 'small:App_failure': 'This is made, too' },
      second: {
        '@id': 'urn:small:part',
        '@type': 'small:Part',
        'small:Part_name': variable,
        'small:Part_next': inner,
      },
    });
    const cache = new PlanCache([ new CacheFolder(kept, process.geteuid!(), true) ]);
    const configs = [ 'resolver.json', 'app.json' ].map((name): string => server.config(name));
    const argv = [ 'node', 'server', '-m', server.folder, '-l', 'error', '-c', ...configs ];
    async function make(iri: string): Promise<unknown> {
      return instantiatePart(argv, iri, cache, clockAhead);
    }
    const made = { options: { name: 'of a variable', next: { options: { name: 'of the configuration' }}}};
    await expect(make('urn:small:part')).resolves.toMatchObject(made);
    await expect(entries()).resolves.toEqual([]);

    await expect(createQuick()).rejects.toThrow('This is made, too');
    await mark('of the configuration', 'kept');
    made.options.next.options.name = 'kept';
    await expect(make('urn:small:part')).resolves.toMatchObject(made);
    await expect(messageOf(make('urn:small:absent'))).resolves
      .toContain('No config instance with IRI urn:small:absent');
  });

  it('uses the current variables at each start.', async(): Promise<void> => {
    await server.writeApp({ name: { '@id': 'urn:small:variable:name', '@type': 'Variable' }});
    await expectSame();
    await expect(createQuick()).resolves.toMatchObject({ options: { name: 'of a variable' }});
    await server.writeApp({ name: { '@id': 'urn:small:variable:other', '@type': 'Variable' }});
    await expectSameFailure(/Could not create the server\nError: Undefined variable: urn:small:variable:other/u);
  });

  /** Expects the same message from an ordinary start, and from our first and later ones. */
  async function expectSameFailure(message: RegExp): Promise<void> {
    const stock = await messageOf(create(new AppRunner()));
    expect(stock).toMatch(message);
    await expect(messageOf(createQuick())).resolves.toBe(stock);
    await expect(messageOf(createQuick())).resolves.toBe(stock);
  }

  it('reports the same errors.', async(): Promise<void> => {
    await writeFile(server.config('app.json'), '{ "@context": [');
    await expectSameFailure(/Could not build the config files/u);
    await server.writeApp({ name: [ 'one', 'two' ]});
    await expectSameFailure(/Detected multiple values for parameter/u);
    await server.writeConfig('app.json', []);
    await expectSameFailure(/No config instance with IRI urn:solid-server:default:App/u);
    await server.writeApp({ first: { '@id': 'urn:small:part', '@type': 'small:Absent' }});
    await expectSameFailure(/Could not find \(valid\) component types/u);
    await rm(server.config('app.json'));
    await expectSameFailure(/no such file/u);
    await expect(entries()).resolves.toEqual([]);
  });

  it('reports the same for constructors that throw, and keeps the plan.', async(): Promise<void> => {
    await server.writeApp({ failure: 'Not today' });
    await expectSameFailure(/Could not create the server\nError: Not today/u);
    await expect(entries()).resolves.toHaveLength(1);
  });

  it('reads everything again if something has changed.', async(): Promise<void> => {
    await server.writeApp({ name: 'before' });
    await createQuick();
    await mark('before', 'kept');

    // Not by its time.
    await utimes(server.config('app.json'), 1, 1);
    await expect(createQuick()).resolves.toMatchObject({ options: { name: 'kept' }});

    await server.writeApp({ name: 'after' });
    await expect(createQuick()).resolves.toMatchObject({ options: { name: 'after' }});

    await mark('after', 'kept');
    await server.writeManifest('1.0.1');
    await expect(createQuick()).resolves.toMatchObject({ options: { name: 'after' }});

    await mark('after', 'kept');
    await server.writeComponents('Part');
    await expect(createQuick()).resolves.toMatchObject({ options: { name: 'after' }});

    await mark('after', 'kept');
    const more = join(server.folder, 'node_modules/another');
    await mkdir(more, { recursive: true });
    await writeFile(join(more, 'package.json'), '{ "name": "another", "version": "1.0.0" }');
    await expect(createQuick()).resolves.toMatchObject({ options: { name: 'after' }});
  });

  it('applies several configurations in order.', async(): Promise<void> => {
    await server.writeApp({ name: 'one' });
    await server.writeConfig('more.json', [
      {
        '@id': 'urn:small:override',
        '@type': 'Override',
        overrideInstance: { '@id': 'urn:solid-server:default:App' },
        overrideParameters: { '@type': 'small:App', 'small:App_name': 'another' },
      },
    ]);
    await expect(createQuick()).resolves.toMatchObject({ options: { name: 'one' }});
    const all = [ 'resolver.json', 'app.json', 'more.json' ];
    await expect(createQuick(all)).resolves.toMatchObject({ options: { name: 'another' }});
    await expect(createQuick(all)).resolves.toMatchObject({ options: { name: 'another' }});
    await expect(createQuick()).resolves.toMatchObject({ options: { name: 'one' }});
  });

  it('reads files that end after those they import.', async(): Promise<void> => {
    await server.writeApp({ name: 'imported' });
    const whole = await server.writeConfig('importing.json', [], { '@base': `file://${server.folder}/` }, [ 'app.json' ]);
    await appendFile(whole, ' '.repeat(8_000_000));
    const configs = [ 'resolver.json', 'importing.json' ];
    await expect(createQuick(configs)).resolves.toMatchObject({ options: { name: 'imported' }});
    await expect(create(new AppRunner(), configs)).resolves.toMatchObject({ options: { name: 'imported' }});
  });

  it('starts as usual if plans are switched off.', async(): Promise<void> => {
    await server.writeApp({ name: 'ordinary' });
    const build = jest.spyOn(AppRunner.prototype, 'createComponentsManager');
    try {
      const made = await create(new QuickAppRunner(new PlanCache([]), clockAhead));
      expect(made.options).toEqual({ name: 'ordinary' });
      expect(build).toHaveBeenCalledTimes(1);
    } finally {
      build.mockRestore();
    }
  });

  it('leaves to Components.js what a plan cannot express.', async(): Promise<void> => {
    await server.writeApp({ name: 'eager', late: { '@type': 'small:Part', 'small:Part_name': 'late' }});
    for (const runner of [ async(): Promise<SmallApp> => create(new AppRunner()), createQuick, createQuick ]) {
      const { options } = await runner();
      expect(options.name).toBe('eager');
      await expect((options.late as () => Promise<SmallApp>)()).resolves.toMatchObject({ options: { name: 'late' }});
    }
    await expect(entries()).resolves.toEqual([]);
  });

  it('caches nothing that Components.js warns about.', async(): Promise<void> => {
    await server.writeApp({ name: 'odd', first: { '@id': 'odd:part', '@type': 'small:Part' }});
    await createQuick();
    await expect(entries()).resolves.toEqual([]);
  });

  it('refuses classes that do not support several processes.', async(): Promise<void> => {
    await server.writeComponents('Part');
    await server.writeApp({ workers: 2, first: { '@type': 'small:Part', 'small:Part_name': 'one' }});
    const message = /\[Part\] is not threadsafe/u;
    await expect(createQuick()).rejects.toThrow(message);
    await expect(entries()).resolves.toHaveLength(1);
    await expect(createQuick()).rejects.toThrow(message);
    await server.writeApp({ workers: 2 });
    await createQuick();
    await expect(createQuick()).resolves.toMatchObject({ options: { workers: 2 }});
  });
});
