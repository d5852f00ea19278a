import { wholeOf } from '../../../src/login/claims';
import type { DataSharingSettings } from '../../../src/operations/settings';
import { issuersOfEverybody } from '../../../src/login/nationalIssuers';
import { readSettings } from '../../../src/operations/settings';

const given: DataSharingSettings = {
  baseUrl: 'https://pods.example/',
  rootFilePath: './pods',
  nationalIssuers: '',
  nationalLogin: '',
  passwordLogin: 'everybody',
  ownWebIds: true,
  trustedIssuers: '',
  apps: '',
  audience: 'solid',
  legacyTokens: true,
  legacyTokensSunset: '',
  maxWrongBusinessKeys: 5,
  maxWrongBusinessKeysPerCitizen: 20,
  contracts: './contracts',
  dataTypes: '',
  purposes: './purposes',
  dataUsers: './data-users',
  theme: '',
  serviceName: 'Data sharing',
  sources: './sources',
  buildings: '',
  originChecks: 'P1D',
  eventsKept: 'P30D',
  copyGrace: 'P7D',
  timeZone: 'Europe/Brussels',
  maxGrantDuration: '',
  allowLoopback: false,
  drainSeconds: 0,
};

describe('The settings', (): void => {
  it('are unchanged if only defaults are set.', (): void => {
    const settings = readSettings(given);
    expect(settings).toMatchObject({
      baseUrl: 'https://pods.example/',
      nationalIssuers: [],
      audience: 'solid',
      legacyTokens: true,
      maxWrongBusinessKeys: 5,
      maxWrongBusinessKeysPerCitizen: 20,
      allowLoopback: false,
    });
    expect(settings.legacyTokensSunset).toBeUndefined();
    expect(settings.trustedIssuers).toBeUndefined();
    expect(settings.apps).toBeUndefined();
    expect(settings.paths.dataTypes).toBeUndefined();
    expect(settings.paths.buildings).toBeUndefined();
  });

  it.each([
    [ 'on this machine', false, 'http://localhost:3001' ],
    [ 'on this machine, by address', false, 'HTTP://127.0.0.1:3001/path' ],
    [ 'in development', true, 'http://two.example/' ],
  ])('accept national issuers without TLS %s.', (_where, allowLoopback, nationalIssuers): void => {
    expect(readSettings({ ...given, allowLoopback, nationalIssuers }).nationalIssuers).toEqual([ nationalIssuers ]);
  });

  it('accept lists with commas and spaces.', (): void => {
    const { nationalIssuers, apps } = readSettings({
      ...given,
      nationalIssuers: 'https://one.example/, https://two.example/realm',
      apps: ' app-1 ,app-2,',
    });
    expect(nationalIssuers).toEqual([ 'https://one.example/', 'https://two.example/realm' ]);
    expect(apps).toEqual([ 'app-1', 'app-2' ]);
  });

  it('accept national issuers with the numbers that each is trusted for.', (): void => {
    const nationalIssuers = 'https://one.example/ 9[0-9]{10}, https://two.example/';
    const settings = readSettings({ ...given, nationalIssuers });
    expect(settings.nationalIssuers).toEqual([ 'https://one.example/', 'https://two.example/' ]);
    expect(settings.nationalPatterns).toEqual(new Map([[ 'https://one.example/', wholeOf('9[0-9]{10}') ]]));
    expect(issuersOfEverybody(nationalIssuers)).toEqual([ 'https://two.example/' ]);
  });

  it('accept switches and numbers as text from the environment.', (): void => {
    const settings = readSettings({
      ...given,
      legacyTokens: 'false' as never,
      allowLoopback: 'true' as never,
      maxWrongBusinessKeys: '10' as never,
    });
    expect(settings).toMatchObject({ legacyTokens: false, allowLoopback: true, maxWrongBusinessKeys: 10 });
  });

  it('accept the day on which deprecated tokens end.', (): void => {
    const { legacyTokensSunset } = readSettings({ ...given, legacyTokensSunset: '2027-01-31' });
    expect(legacyTokensSunset).toEqual(new Date('2027-01-31T00:00:00Z'));
  });

  it.each([ 'https://pods.example:443/', 'HTTPS://Pods.Example/', ' https://pods.example/' ])(
    'name the one spelling of the base URL that fits those of resources: %j.',
    (baseUrl): void => {
      expect((): unknown => readSettings({ ...given, baseUrl }))
        .toThrow('--baseUrl must be written as https://pods.example/, as in the URLs of its resources');
    },
  );

  it('take a base URL without the slash, which the server adds.', (): void => {
    expect(readSettings({ ...given, baseUrl: 'https://pods.example' })).toMatchObject({ baseUrl: given.baseUrl });
  });

  it.each([
    [ 'baseUrl', 'https://pods.example/solid/' ],
    [ 'baseUrl', 'https://pods.example/?a=b' ],
    [ 'baseUrl', 'pods.example' ],
    [ 'baseUrl', 'https://user:secret@pods.example/' ],
    [ 'nationalIssuers', 'https://one.example/,two' ],
    [ 'nationalIssuers', 'https://one.example/,http://two.example/' ],
    [ 'nationalIssuers', 'HTTP://localhost.example:3001' ],
    [ 'nationalIssuers', 'https://one.example/ 9[0-9' ],
    [ 'nationalIssuers', 'https://one.example/ 9)|(?:8' ],
    [ 'nationalIssuers', 'https://one.example/ [0-9]{9,11}' ],
    [ 'nationalIssuers', 'https://one.example/ 9.*,https://one.example' ],
    [ 'passwordLogin', '' ],
    [ 'passwordLogin', 'citizens' ],
    [ 'trustedIssuers', 'ftp://one.example/' ],
    [ 'audience', ' ' ],
    [ 'legacyTokens', 'yes' ],
    [ 'legacyTokensSunset', '2027-02-30' ],
    [ 'legacyTokensSunset', 'next year' ],
    [ 'maxWrongBusinessKeys', 0 ],
    [ 'maxWrongBusinessKeys', 'many' ],
    [ 'maxWrongBusinessKeysPerCitizen', 'many' ],
    [ 'originChecks', '' ],
    [ 'originChecks', 'daily' ],
    [ 'originChecks', 'P0D' ],
    [ 'originChecks', 'P1W1D' ],
    [ 'originChecks', 'P2D-T1H' ],
    [ 'originChecks', 'P0.5D' ],
    [ 'eventsKept', '' ],
    [ 'eventsKept', 'P0D' ],
    [ 'copyGrace', '7 days' ],
    [ 'copyGrace', 'P0D' ],
    [ 'copyGrace', 'P1001Y' ],
    [ 'eventsKept', 'P99999999999Y' ],
    [ 'contracts', '' ],
    [ 'maxGrantDuration', '180 days' ],
    [ 'maxGrantDuration', 'P0D' ],
    [ 'maxGrantDuration', 'P400000D' ],
  ])('stop the start if --%s is %p, naming it.', (flag, value): void => {
    expect((): unknown => readSettings({ ...given, [flag]: value })).toThrow(`--${flag}`);
  });
});
