import { randomUUID } from 'node:crypto';
import { createClientCredentials, createPod, logInToAccount } from '../../demo/lib/accounts';
import type { CommandAnswer } from '../support/commandLine';
import { operateBeside, operateOn } from '../support/commandLine';
import { rawRequest } from '../support/rawRequest';
import { startSmtpServer } from '../support/SmtpServer';
import type { SmtpServer } from '../support/SmtpServer';
import type { World } from '../support/world';
import { startServer, startWorld } from '../support/world';

const password = 'a long enough sentence 1';
const seeded = { email: 'seeded@example.org', password, pods: [{ name: 'seeded' }]};
const invited = { email: 'Invited@example.org', password };
const refused = [ 403, 'This invitation is invalid, has expired, or is for another e-mail address.' ];

interface ListedAccount {
  account: string;
  logins: string[];
  webIds: string[];
  pods: string[];
}

/** Returns the last part of a URL: the id in it. */
function idIn(url: unknown): string {
  return (url as string).split('/').at(-2)!;
}

describe('With --registration closed, as in the presets,', (): void => {
  let world: World;
  let smtp: SmtpServer;
  /** Texts that must not be in the log. */
  const secrets: string[] = [];
  /** Texts that must not be stored, either. */
  const kept: string[] = [ seeded.email, invited.email, password ];

  beforeAll(async(): Promise<void> => {
    smtp = await startSmtpServer();
    world = await startWorld({
      seed: [ seeded ],
      flags: { registration: undefined, smtp: `smtp://127.0.0.1:${smtp.port}` },
      loggingLevel: 'silly',
    });
  });

  afterAll(async(): Promise<void> => {
    await world?.stop();
    await smtp?.stop();
  });

  async function operate(words: string[], input = ''): Promise<CommandAnswer> {
    return operateOn(world.server, words, input, { CSS_BASE_URL: world.base });
  }

  /** Runs a command as an operator does, in a process of its own. */
  async function operateApart(words: string[], input = ''): Promise<Omit<CommandAnswer, 'lines'>> {
    const env = { ...process.env, CSS_BASE_URL: world.base, CSS_SMTP: undefined };
    return operateBeside(world.server, words, input, env);
  }

  /** The code of a new invitation. */
  async function invite(words: string[] = [], input = ''): Promise<string> {
    const { output } = await operate([ 'accounts', 'invite', ...words ], input);
    return codeIn(output.trim());
  }

  function codeIn(link: string): string {
    expect(link.startsWith(`${world.base}.account/login/password/register/#invitation=`)).toBe(true);
    const code = new URLSearchParams(new URL(link).hash.slice(1)).get('invitation')!;
    expect(code.length).toBeGreaterThan(40);
    kept.push(code);
    return code;
  }

  async function listAccounts(): Promise<ListedAccount[]> {
    const { output } = await operateApart([ 'accounts', 'list' ]);
    expect(output).not.toMatch(/@example|\$2[aby]\$/u);
    return output.trim().split('\n').map((line): ListedAccount => JSON.parse(line) as ListedAccount);
  }

  async function register(body: unknown): Promise<[number, unknown]> {
    const response = await fetch(`${world.base}.account/account/`, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { message } = await response.json() as { message?: string };
    return [ response.status, message ];
  }

  it('a missing route is a page for browsers, and a problem for others.', async(): Promise<void> => {
    const forgotten = await startServer({ flags: { registration: undefined }});
    try {
      for (const [ path, method, status ] of [
        [ '.account/login/password/forgot/', 'GET', 404 ],
        [ '.account/login/password/forgot/', 'POST', 404 ],
        [ '.account/oidc/cancel/', 'GET', 405 ],
        [ '.account/login/password/', 'DELETE', 405 ],
      ] as const) {
        const url = forgotten.base + path;
        for (const accept of [ 'application/json', '*/*' ]) {
          const problem = await fetch(url, { method, headers: { accept }});
          expect([ path, problem.status, await problem.json() ])
            .toEqual([ path, status, expect.objectContaining({ status }) ]);
        }
        const page = await fetch(url, { method, headers: { accept: 'text/html,*/*;q=0.8', 'accept-language': 'nl' }});
        expect([ path, page.status, page.headers.get('content-type') ]).toEqual([ path, status, 'text/html' ]);
        expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src /u);
        expect(status === 405 && page.headers.get('allow') === null).toBe(false);
        await expect(page.text()).resolves.toMatch(/<html lang="nl">/u);
      }
      const form = 'application/x-www-form-urlencoded';
      const sent = await fetch(`${forgotten.base}.account/login/password/`, {
        method: 'POST',
        headers: { origin: 'https://evil.example', accept: 'text/html', 'content-type': form },
        body: 'a=b',
      });
      expect([ sent.status, sent.headers.get('content-type'), sent.headers.get('set-cookie') ])
        .toEqual([ 403, 'text/html', null ]);
    } finally {
      await forgotten.stop();
    }
  });

  it('no page or response links to a registration.', async(): Promise<void> => {
    for (const path of [ '.account/', '.account/login/password/', '.account/login/' ]) {
      const answer = await fetch(world.base + path, { headers: { accept: 'application/json' }});
      await expect(answer.text()).resolves.not.toMatch(/\.account\/account\/"|register/u);
    }
    const page = await (await fetch(`${world.base}.account/login/password/register/`, {
      headers: { accept: 'text/html' },
    })).text();
    expect(page).toContain('Accounts are made by invitation here.');
    const view = await fetch(`${world.base}.account/account/`, { headers: { accept: 'application/json' }});
    const { fields } = await view.json() as { fields: object };
    expect(Object.keys(fields)).toEqual([ 'invitation', 'email', 'password' ]);
  });

  it.each([
    [ 'POST', '/.account/account/', '{}', 'application/json' ],
    [ 'POST', '/.account/account/', undefined, undefined ],
    [ 'POST', '/.account/account/', JSON.stringify({ email: 'x@example.org', password }), 'application/json' ],
    [ 'POST', '/.account/account/', 'email=x%40example.org', 'application/x-www-form-urlencoded' ],
    [ 'POST', '/.account/account/?method=POST', '{}', 'application/json' ],
    [ 'POST', '/.account/account', '{}', 'application/json' ],
    [ 'POST', '/.ACCOUNT/ACCOUNT/', '{}', 'application/json' ],
    [ 'POST', '/.Account/account/', '{}', 'application/json' ],
    [ 'POST', '/%2eaccount/account/', '{}', 'application/json' ],
    [ 'POST', '//.account/account/', '{}', 'application/json' ],
    [ 'POST', '/.account//account/', '{}', 'application/json' ],
    [ 'POST', '/x/../.account/account/', '{}', 'application/json' ],
    [ 'POST', '/.account/%61ccount/', '{}', 'application/json' ],
    [ 'POST', '/.account/login/password/register/', '{}', 'application/json' ],
    [ 'POST', '/.account/login/password/', JSON.stringify({ email: 'x@example.org', password }), 'application/json' ],
    [ 'POST', '/.account/account/none/login/password/', '{}', 'application/json' ],
    [ 'PUT', '/.account/account/', '{}', 'application/json' ],
    [ 'PATCH', '/.account/account/', '{}', 'application/json' ],
    [ 'DELETE', '/.account/account/', undefined, undefined ],
  ])('%s %s by a stranger creates no account.', async(method, path, body, type): Promise<void> => {
    const before = (await world.server.stored.valueNames()).filter((name): boolean => name.includes('accounts/data'));
    const { status } = await rawRequest(world.base, method, path, {
      headers: {
        accept: 'application/json',
        'x-http-method-override': 'POST',
        ...type && { 'content-type': type },
      },
      ...body !== undefined && { body },
    });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    await expect(world.server.stored.valueNames()).resolves.toEqual(expect.arrayContaining(before));
    const after = (await world.server.stored.valueNames()).filter((name): boolean => name.includes('accounts/data'));
    expect(after).toHaveLength(before.length);
  });

  it('an invitation creates one account, once, however many try it together.', async(): Promise<void> => {
    const invitation = await invite();
    await expect(register({ invitation, email: 'no address', password })).resolves.toMatchObject({ 0: 400 });
    await expect(register({ invitation, email: invited.email, password: 'short' })).resolves.toMatchObject({ 0: 400 });
    await expect(register({ invitation, email: seeded.email, password })).resolves.toMatchObject({ 0: 400 });
    await expect(register({ invitation: { $gt: '' }, ...invited })).resolves.toMatchObject({ 0: 400 });
    await expect(register({ invitation: [ invitation ], ...invited })).resolves.toMatchObject({ 0: 400 });
    await expect(register({ invitation: 'x'.repeat(10_000), ...invited })).resolves
      .toEqual([ 400, 'invitation has at most 1024 characters.' ]);
    const before = await listAccounts();
    const answers = await Promise.all([ 0, 1, 2, 3, 4 ].map(async(index): Promise<[number, unknown]> =>
      register({ invitation, email: `${index}${invited.email}`, password })));
    expect(answers.filter(([ status ]): boolean => status === 403)).toHaveLength(4);
    await expect(register({ invitation, ...invited })).resolves.toEqual(refused);
    const winner = answers.findIndex(([ status ]): boolean => status === 200);
    const account = await logInToAccount(world.base, { email: `${winner}${invited.email}`, password });
    const { webId, podUrl } = await createPod(account, 'invited');
    await expect(createClientCredentials(account, webId)).resolves.toHaveProperty('secret');
    const after = await listAccounts();
    expect(after).toHaveLength(before.length + 1);
    expect(after).toContainEqual({
      account: expect.any(String),
      logins: [ 'password' ],
      webIds: [ webId ],
      pods: [ podUrl ],
    });
  });

  it('an invitation for an address is mailed to it, and valid for no other.', async(): Promise<void> => {
    const words = [ 'accounts', 'invite', '--for-address', '--smtp', `smtp://127.0.0.1:${smtp.port}` ];
    await expect(operateApart(words, `${invited.email}\n`)).resolves.toEqual({
      code: 0,
      output: expect.stringMatching(/^The invitation was mailed\./u),
      errors: '',
    });
    await smtp.arrived(1);
    const [ mail ] = smtp.mails;
    expect(mail.to).toBe(invited.email);
    const invitation = codeIn(/http:\S+/u.exec(mail.text)![0]);
    await expect(register({ invitation, email: 'thief@example.org', password })).resolves.toEqual(refused);
    await expect(register({ invitation, ...invited })).resolves.toMatchObject({ 0: 200 });
    await expect(register({ invitation, ...invited })).resolves.toEqual(refused);
  });

  it.each([
    [ 'smtp://127.0.0.1:1', 'the mail server did not accept it' ],
    [ 'smtp://me:secret@[mail', '--smtp must be' ],
  ])('an invitation that cannot be mailed by %s does not stay.', async(url, reason): Promise<void> => {
    const before = await operate([ 'accounts', 'invitations' ]);
    const words = [ 'accounts', 'invite', '--for-address', '--smtp', url ];
    const { code, errors, output } = await operateApart(words, `${invited.email}\n`);
    expect([ code, output, errors ]).toEqual([ 1, '', expect.stringContaining(reason) ]);
    expect(errors).not.toMatch(/secret|invited@/iu);
    await expect(operate([ 'accounts', 'invitations' ])).resolves.toMatchObject({ output: before.output });
  });

  it('an invitation that is withdrawn is no longer valid, and the others are.', async(): Promise<void> => {
    const invitation = await invite();
    const before = (await operate([ 'accounts', 'invitations' ])).output.trim().split('\n');
    const made = await operate([ 'accounts', 'invite' ]);
    codeIn(made.output.trim());
    const id = /Its id is (?<id>[\da-f]{16})\./u.exec(made.errors)!.groups!.id;
    const { output } = await operate([ 'accounts', 'invitations' ]);
    const listed = output.trim().split('\n');
    expect(listed).toHaveLength(before.length + 1);
    expect(listed.filter((line): boolean => !before.includes(line)).map((line): unknown => JSON.parse(line)))
      .toEqual([{ id, lapses: expect.stringMatching(/^\d{4}-\d\d-\d\dT/u) }]);
    for (const code of kept) {
      expect(output).not.toContain(code);
    }
    await expect(operate([ 'accounts', 'withdraw', id ])).resolves
      .toMatchObject({ code: 0, output: `The invitation ${id} is withdrawn.\n`, errors: '' });
    await expect(operate([ 'accounts', 'withdraw', id ])).resolves.toMatchObject({ code: 1, output: '' });
    const withdrawn = codeIn(made.output.trim());
    await expect(register({ invitation: withdrawn, email: 'late@example.org', password })).resolves.toEqual(refused);
    // Spaces around a password are not part of it, neither here nor at log-in.
    const early = { email: 'early@example.org', password: `  ${password} ` };
    await expect(register({ invitation, ...early })).resolves.toMatchObject({ 0: 200 });
    await expect(logInToAccount(world.base, early)).resolves.toHaveProperty('authorization');
  });

  it('an invitation that has expired or never existed is refused in the same words.', async(): Promise<void> => {
    const lapsed = await invite([ '--hours', '0.0000003' ]);
    for (const invitation of [ lapsed, '', 'x', `${lapsed.slice(0, -1)}~`, 'x'.repeat(1_000), '\' or 1=1 --' ]) {
      await expect(register({ invitation, email: 'late@example.org', password })).resolves.toEqual(refused);
    }
  });

  it('accounts of the operator and of citizens are created as before.', async(): Promise<void> => {
    await expect(logInToAccount(world.base, seeded)).resolves.toHaveProperty('authorization');
    const citizen = await world.national.logIn('mila');
    const response = await citizen.request('PUT', `${world.base}v1/webids`);
    expect(response.status).toBe(201);
    const { uri: webId } = await response.json() as { uri: string };
    await expect(listAccounts()).resolves.toContainEqual(
      expect.objectContaining({ logins: [ 'citizen' ], webIds: [ webId ]}),
    );
  });

  interface Browsed {
    status: number;
    location: string;
    json: Record<string, unknown>;
  }

  /** A browser without pages: it keeps cookies, and returns redirects. */
  class Browsing {
    public readonly cookies = new Map<string, string>();

    public async ask(url: string, body?: object): Promise<Browsed> {
      const response = await fetch(new URL(url, world.base), {
        method: body === undefined ? 'GET' : 'POST',
        redirect: 'manual',
        headers: {
          accept: 'application/json',
          cookie: [ ...this.cookies ].map(([ name, value ]): string => `${name}=${value}`).join('; '),
          ...body && !(body instanceof URLSearchParams) && { 'content-type': 'application/json' },
        },
        ...body && { body: body instanceof URLSearchParams ? body : JSON.stringify(body) },
      });
      for (const cookie of response.headers.getSetCookie()) {
        const [ , name, value ] = /^([^=]+)=([^;]*)/u.exec(cookie)!;
        this.cookies.set(name, value);
        secrets.push(...value.length > 8 ? [ value ] : []);
      }
      const text = await response.text();
      return {
        status: response.status,
        location: response.headers.get('location') ?? '',
        json: text.startsWith('{') ? JSON.parse(text) as Record<string, unknown> : {},
      };
    }

    /** Follows redirects to the last page on this server. */
    public async follow(url: string): Promise<string> {
      let at = url;
      for (let count = 0; count < 10; count += 1) {
        const uid = /\.oidc\/auth\/([\w-]+)/u.exec(at);
        secrets.push(...uid ? [ uid[1] ] : []);
        const { location } = await this.ask(at);
        if (location === '' || !location.startsWith(world.base)) {
          return location;
        }
        at = location;
      }
      throw new Error('It never ends');
    }
  }

  it('an account can do all it could before.', async(): Promise<void> => {
    const browser = new Browsing();
    const login = '.account/login/password/';
    const { email } = seeded;
    const wrong = [{ email, password: 'a wrong one, yet long' }, { email: 'none@example.org', password }];
    for (const body of wrong) {
      await expect(browser.ask(login, body)).resolves.toMatchObject({ status: 403 });
    }
    // The second one replaces the cookie of the first.
    await expect(browser.ask(login, { email, password })).resolves.toMatchObject({ status: 200 });
    await expect(browser.ask(login, { email, password })).resolves.toMatchObject({ status: 200 });
    const { controls } = (await browser.ask('.account/')).json as { controls: Record<string, Record<string, string>> };
    const { account: { webId: webIds, clientCredentials }, password: { create }} = controls;
    const [ webId ] = Object.keys((await browser.ask(webIds)).json.webIdLinks as object);
    for (const linked of [ webId, `${world.base}invited/none#me` ]) {
      await expect(browser.ask(webIds, { webId: linked })).resolves.toMatchObject({ status: 400 });
    }
    const made = await browser.ask(clientCredentials, { name: 'a key', webId });
    const second = await browser.ask(create, { email: 'second@example.org', password });
    const again = await browser.ask(create, { email, password });
    expect([ made.status, second.status, again.status ]).toEqual([ 200, 200, 400 ]);
    secrets.push(
      idIn(webIds.replace(/webid\/$/u, '')),
      made.json.id as string,
      made.json.secret as string,
      idIn(made.json.resource),
      idIn(second.json.resource),
      'second@example.org',
      'none@example.org',
    );
    const key = new URLSearchParams({ grant_type: 'client_credentials', scope: 'webid' });
    const { id, secret } = made.json as Record<string, string>;
    const basic = [ id, secret ].map(encodeURIComponent).join(':');
    const token = await fetch(`${world.base}.oidc/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(basic).toString('base64')}` },
      body: key,
    });
    expect(token.status).toBe(200);
    secrets.push((await token.json() as { access_token: string }).access_token);
  });

  it('an app is let in, and comes back.', async(): Promise<void> => {
    const browser = new Browsing();
    const redirect = 'http://localhost:1/cb';
    const { client_id: client } = (await browser.ask('.oidc/reg', {
      redirect_uris: [ redirect ],
      token_endpoint_auth_method: 'none',
      grant_types: [ 'authorization_code', 'refresh_token' ],
    })).json as { client_id: string };
    const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
    const query = new URLSearchParams({
      client_id: client,
      redirect_uri: redirect,
      response_type: 'code',
      scope: 'openid webid offline_access',
      prompt: 'consent',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
      login_hint: seeded.email,
    });
    await browser.follow(`.oidc/auth?${query.toString()}`);
    const { json: { location }} = await browser.ask('.account/login/password/', { email: seeded.email, password });
    await browser.follow(location as string);
    const { json: { webIds }} = await browser.ask('.account/oidc/pick-webid/');
    const picked = await browser.ask('.account/oidc/pick-webid/', { webId: (webIds as string[])[0] });
    await browser.follow(picked.json.location as string);
    const consented = await browser.ask('.account/oidc/consent/', { remember: true });
    const back = new URL(await browser.follow(consented.json.location as string));
    const code = back.searchParams.get('code')!;
    const exchange = { grant_type: 'authorization_code', client_id: client, redirect_uri: redirect };
    const answer = await browser.ask(
      '.oidc/token',
      new URLSearchParams({ ...exchange, code, code_verifier: verifier }),
    );
    expect(answer.status).toBe(200);
    const { access_token: access, id_token: id, refresh_token: refresh } = answer.json as Record<string, string>;
    const refreshed = await browser.ask('.oidc/token', new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: client,
      refresh_token: refresh,
    }));
    const replayed = await browser.ask(
      '.oidc/token',
      new URLSearchParams({ ...exchange, code, code_verifier: verifier }),
    );
    expect([ refreshed.status, replayed.status ]).toEqual([ 200, 400 ]);
    secrets.push(code, access, id, refresh, refreshed.json.access_token as string, client);
  });

  it('a forgotten password is replaced by a link that works once.', async(): Promise<void> => {
    const browser = new Browsing();
    const count = smtp.mails.length;
    await browser.ask('.account/login/password/forgot/', { email: seeded.email });
    await smtp.arrived(count + 1);
    const recordId = /rid=([\w%-]+)/u.exec(smtp.mails[count].text)![1];
    await browser.ask(/http:\S+/u.exec(smtp.mails[count].text)![0]);
    const next = 'another sentence, long enough';
    for (const [ id, status ] of [[ randomUUID(), 400 ], [ recordId, 200 ], [ recordId, 400 ]] as const) {
      secrets.push(id, next);
      await expect(browser.ask('.account/login/password/reset/', { recordId: id, password: next })).resolves
        .toMatchObject({ status });
    }
  });

  it('neither codes nor addresses are stored or logged.', async(): Promise<void> => {
    const values = await world.server.stored.values();
    const records = await world.server.stored.records();
    const copy = [
      ...values,
      ...await world.server.stored.valueNames(),
      ...records.map((bytes): string => bytes.toString('latin1')),
    ].join('\n');
    expect(secrets.length).toBeGreaterThan(20);
    expect(kept.length).toBeGreaterThan(5);
    expect(kept.filter((secret): boolean => copy.toLowerCase().includes(secret.toLowerCase()))).toEqual([]);
    const log = world.server.log().toLowerCase().split('\n');
    expect(log.length).toBeGreaterThan(1000);
    for (const secret of [ ...kept, ...secrets ]) {
      expect(log.filter((line): boolean => line.includes(secret.toLowerCase()))).toEqual([]);
    }
  });
});
