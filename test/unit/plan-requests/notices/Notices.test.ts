import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { UnsupportedAsyncHandler } from '@solid/community-server';
import type { ParsedMail } from 'mailparser';
import { simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';
import type { Zone } from '../../../../src/plan-requests/geometry/readZone';
import { readZone } from '../../../../src/plan-requests/geometry/readZone';
import { Jobs } from '../../../../src/plan-requests/jobs/Jobs';
import { MapRequestDrafts } from '../../../../src/plan-requests/MapRequestDrafts';
import { MapRequests } from '../../../../src/plan-requests/MapRequests';
import { Mails } from '../../../../src/plan-requests/notices/Mails';
import { Notices } from '../../../../src/plan-requests/notices/Notices';
import { remind } from '../../../../src/plan-requests/notices/remind';
import type { Organisation } from '../../../../src/plan-requests/Organisations';
import { Organisations } from '../../../../src/plan-requests/Organisations';
import { PackageArchive } from '../../../../src/plan-requests/packages/PackageArchive';
import type { Job, ZoneSettings } from '../../../../src/plan-requests/PlanStores';
import { lastWorkingDayOf } from '../../../../src/plan-requests/terms';
import { ZoneIndex } from '../../../../src/plan-requests/ZoneIndex';
import { MailSender } from '../../../../src/server/mail/MailSender';
import { ServicePages } from '../../../../src/server/pages/ServicePages';
import type { WebId } from '../../../../src/platform/webId';
import { parseWebId } from '../../../../src/platform/webId';
import type { OpenPlanRecords } from '../../../support/planRecords';
import { makePlanRecords } from '../../../support/planRecords';
import { square } from '../../../support/PlanWorld';

/** A Monday. */
const start = new Date('2026-11-23T08:00:00Z');
const minute = 60_000;
const day = 24 * 60 * minute;
const context = { correlationId: randomUUID() };
const terms = { confirm: 2, answer: 5, package: 7, klim: 15 };
const allMails = { Confirm: true, Reminder: true, Complete: true, Archived: true };

function organisation(name: string, role: Organisation['roles'][number]): Organisation {
  const clients = [ `https://${name}.example/card#me`, randomUUID() ];
  return { id: randomUUID(), name, clients, roles: [ role ]};
}

const nowhere = new UnsupportedAsyncHandler() as never;

describe('Notices about plan requests', (): void => {
  const builder = organisation('builder', 'MapRequestInitiator');
  const operators = [ organisation('water', 'UnaOperator'), organisation('gas', 'UnaOperator') ];
  const mails: ParsedMail[] = [];
  const messages: string[] = [];
  let refusal: number | undefined;
  let server: SMTPServer;
  let port: number;
  let now: Date;
  let open: OpenPlanRecords;
  let mapRequests: MapRequests;
  let archive: PackageArchive;
  let jobs: Jobs;
  let zoneIds: string[];
  let zone: Zone;

  beforeAll(async(): Promise<void> => {
    zone = await readZone(square(104_000, 193_000, 100), {});
    server = new SMTPServer({
      authOptional: true,
      disabledCommands: [ 'STARTTLS' ],
      onRcptTo(address, _session, done): void {
        done(refusal === undefined ?
          null :
            Object.assign(new Error(`not now, ${address.address}`), { responseCode: refusal }));
      },
      onData(stream, _session, done): void {
        simpleParser(stream).then((mail): void => {
          mails.push(mail);
          done();
        }, done);
      },
    });
    server.listen(0, '127.0.0.1');
    await once(server.server, 'listening');
    ({ port } = server.server.address() as AddressInfo);
  });

  beforeEach(async(): Promise<void> => {
    now = start;
    refusal = undefined;
    mails.length = 0;
    messages.length = 0;
    open = await makePlanRecords((): Date => now);
    zoneIds = [];
    for (const { id: organisationId } of operators) {
      const [ unaId, zoneId ] = [ randomUUID(), randomUUID() ];
      zoneIds.push(zoneId);
      await open.records.transaction(async({ unas, unaZones }): Promise<void> => {
        await unas.save({ id: unaId, organisationId, name: 'Operator', isKlim: false });
        const settings = { language: 'en' as const, mails: {}};
        await unaZones.save({ id: zoneId, unaId, name: 'Ghent', settings, registryState: 'NotAnnounced' });
        await unaZones.addGeometry({ ...zone, id: randomUUID(), zoneId });
      });
    }
    use(`smtp://127.0.0.1:${port}`);
  });

  afterEach(async(): Promise<void> => open.close());

  afterAll(async(): Promise<void> => {
    await new Promise<void>((resolve): void => {
      server.close(resolve);
    });
  });

  function clock(): Date {
    return now;
  }

  function use(smtp: string, holder = 'one'): void {
    const { records } = open;
    const pages = new ServicePages({ baseUrl: 'https://plans.example/', serviceName: 'Plans' });
    const mail = new MailSender({ smtp, mailFrom: '', pages, source: nowhere });
    const logger = {
      warn: (message: string): number => messages.push(message),
      error: (message: string): number => messages.push(message),
    } as never;
    const organisations = new Organisations([ builder, ...operators ], 'organisation_id', 'https://pods.example/');
    const url = 'https://plans.example/ws/plans/v3';
    const notices = new Notices({ organisations, isMailed: mail.isOffered, url, now: clock });
    const sender = new Mails({ records, mail, logger, now: clock });
    const work = {
      mail: sender.send.bind(sender),
      remind: async(job: Job): ReturnType<typeof remind> => remind(job, notices),
    };
    jobs = new Jobs({ records, holder, work, logger, now: clock });
    const shared = { records, notices, now: clock, newId: randomUUID };
    const naturesOfWorks = new Set([ 'excavation' ]);
    const index = new ZoneIndex(records.zoneVersions);
    const drafts = new MapRequestDrafts({ ...shared, naturesOfWorks, terms, index });
    mapRequests = new MapRequests({ ...shared, drafts });
    const files = { sweep: async(): Promise<void> => undefined } as never;
    archive = new PackageArchive({ ...shared, files });
  }

  async function set(settings: ZoneSettings, at = 0): Promise<void> {
    await open.records.transaction(async({ unaZones }): Promise<void> =>
      unaZones.save({ ...(await unaZones.find(zoneIds[at]))!, settings }));
  }

  async function file(reference = 'Street 12'): Promise<string> {
    const content = {
      reference,
      location: 'Secret street',
      startDate: '2099-01-05',
      endDate: '2099-01-06',
      natureOfWorks: 'excavation',
      tags: [],
      orderVectorData: false,
      contact: { Name: 'Anna Secret', Email: 'secret@builder.example' },
    };
    const { request } = await mapRequests.file(content, zone, builder, context);
    return request.id;
  }

  async function answer(requestId: string, at: number): Promise<void> {
    await mapRequests.reply({ requestId, zoneId: zoneIds[at], reply: 'NotInvolved' }, operators[at], context);
  }

  async function runAfter(milliseconds: number): Promise<void> {
    now = new Date(now.getTime() + milliseconds);
    // Two of a kind at once, and more once they are done.
    for (let index = 0; index < 4; index += 1) {
      await jobs.run();
      while (jobs.isBusy) {
        await new Promise((resolve): void => {
          setTimeout(resolve, 5);
        });
      }
    }
  }

  async function eventsOf(client: WebId): Promise<string[]> {
    const { events } = await open.tables.events.list(client, 0, 100);
    return events.map(({ data, type }): string => `${type} ${data.planRequest!.split('/').slice(-2).join(' ')}`);
  }

  it('are events for the WebIDs of those concerned.', async(): Promise<void> => {
    const id = await file();
    await answer(id, 0);
    await runAfter(0);
    await runAfter(lastWorkingDayOf(new Date('2026-11-30T23:00:00Z')).getTime() - start.getTime() - 1);
    await expect(eventsOf(parseWebId('https://gas.example/card#me')))
      .resolves.toEqual([ `PlanRequestReceived ${id} una` ]);
    await runAfter(1);
    await answer(id, 1);
    now = new Date('2027-11-24T00:00:00Z');
    await archive.removeOld();
    await archive.removeOld();
    await expect(eventsOf(parseWebId('https://water.example/card#me'))).resolves.toEqual([
      `PlanRequestReceived ${id} una`,
      `PlanRequestAnswered ${id} una`,
      `PlanRequestArchived ${id} una`,
    ]);
    await expect(eventsOf(parseWebId('https://gas.example/card#me'))).resolves.toEqual([
      `PlanRequestReceived ${id} una`,
      `PlanRequestTermEnding ${id} una`,
      `PlanRequestAnswered ${id} una`,
      `PlanRequestArchived ${id} una`,
    ]);
    await expect(eventsOf(parseWebId('https://builder.example/card#me')))
      .resolves.toEqual([ `PlanRequestAnswered ${id} mri`, `PlanRequestArchived ${id} mri` ]);
    // No mail was requested.
    await runAfter(day);
    expect([ mails.length, messages.length ]).toEqual([ 0, 0 ]);
  });

  it.each([
    [ 'nl', 'Planaanvraag Street 12: gelieve te bevestigen', '25 november 2026' ],
    [ 'fr', 'Demande de plans Street 12 : veuillez confirmer', '25 novembre 2026' ],
    [ 'de', 'Plananfrage Street 12: bitte bestätigen', '25. November 2026' ],
    [ 'en', 'Plan request Street 12: please confirm', '25 November 2026' ],
  ] as const)('are mails in %s, as text and HTML.', async(language, subject, confirmBy): Promise<void> => {
    await set({ language, contactEmail: 'plans@water.example', mails: { Confirm: true }});
    const id = await file();
    await runAfter(0);
    expect(mails).toHaveLength(1);
    const [ mail ] = mails;
    expect([ mail.subject, mail.from!.text, mail.to ]).toEqual([
      subject,
      '"Plans" <no-reply@plans.example>',
      expect.objectContaining({ text: 'plans@water.example' }),
    ]);
    for (const text of [ mail.text!, mail.html as string ]) {
      expect(text).toContain(confirmBy);
      expect(text).toContain(id);
      expect(text).toContain('Ghent');
      expect(text).not.toMatch(/Secret|secret/u);
    }
    expect(mail.html).toContain(`<html lang="${language}">`);
    await runAfter(day);
    expect(mails).toHaveLength(1);
  });

  it('are mailed according to the settings of the zone, each once.', async(): Promise<void> => {
    await set({ language: 'en', contactEmail: 'plans@water.example', mails: allMails });
    await set({ language: 'en', contactEmail: 'plans@gas.example', mails: { Complete: true, Reminder: false }}, 1);
    const id = await file();
    await runAfter(0);
    await runAfter(7 * day);
    await answer(id, 0);
    await answer(id, 1);
    await runAfter(0);
    now = new Date('2027-11-24T00:00:00Z');
    await archive.removeOld();
    await runAfter(0);
    await runAfter(day);
    expect(mails.map(({ subject, to }): string => `${(to as { text: string }).text}: ${subject!}`).sort()).toEqual([
      'plans@gas.example: Plan request Street 12: the answer is complete',
      'plans@water.example: Plan request Street 12: please confirm',
      'plans@water.example: Plan request Street 12: the answer is complete',
      'plans@water.example: Plan request Street 12: the term is nearly over',
      `plans@water.example: Plan request ${id} is archived`,
    ].sort());
  });

  it('carry a reference as text, whatever is in it.', async(): Promise<void> => {
    await set({ language: 'en', contactEmail: 'plans@water.example', mails: { Confirm: true }});
    await file('<img src=x>\r\nBcc: eve@example.org\r\n\r\n{zone} & "more"');
    await runAfter(0);
    const [ mail ] = mails;
    expect(mail.subject).toBe('Plan request <img src=x> Bcc: eve@example.org {zone} & "more": please confirm');
    expect([ mail.bcc, mail.headers.get('bcc') ]).toEqual([ undefined, undefined ]);
    expect(mail.html).not.toContain('<img');
    expect(mail.html).toContain('&#60;img src=x&#62;');
  });

  it('have no reference that mail programs decode in the subject.', async(): Promise<void> => {
    await set({ language: 'en', contactEmail: 'plans@water.example', mails: { Confirm: true }});
    await file('=?utf-8?q?=E2=80=AEnab?= =?utf-8?b?Ym9t?=');
    await runAfter(0);
    const [ mail ] = mails;
    expect(mail.subject).toBe('Plan request = ?utf-8?q?=E2=80=AEnab?= = ?utf-8?b?Ym9t?=: please confirm');
    expect(mail.text).toContain('=?utf-8?q?=E2=80=AEnab?=');
  });

  it('are retried for a day if the mail server does not accept them.', async(): Promise<void> => {
    await set({ language: 'en', contactEmail: 'plans@water.example', mails: { Confirm: true }});
    refusal = 451;
    await file();
    await runAfter(0);
    await runAfter(minute - 1);
    expect(messages).toHaveLength(1);
    await runAfter(1);
    expect(messages).toHaveLength(2);
    refusal = undefined;
    await runAfter(2 * minute);
    expect(mails).toHaveLength(1);
    refusal = 451;
    await file();
    const before = messages.length;
    for (let hours = 0; hours < 40; hours += 1) {
      await runAfter(60 * minute);
    }
    expect(messages.length - before).toBe(30);
    expect(messages.at(-1)).toContain('is given up');
    expect(messages.join(' ')).not.toContain('water');
    refusal = undefined;
    await runAfter(day);
    expect(mails).toHaveLength(1);
  });

  it('are mailed by one process of several, with an id of their own.', async(): Promise<void> => {
    await set({ language: 'en', contactEmail: 'plans@water.example', mails: { Confirm: true }});
    await file();
    const first = jobs;
    use(`smtp://127.0.0.1:${port}`, 'two');
    await Promise.all([ first.run(), jobs.run() ]);
    while (first.isBusy || jobs.isBusy) {
      await new Promise(setImmediate);
    }
    expect(mails).toHaveLength(1);
    expect(mails[0].messageId).toMatch(/^<[\w-]{36}@plans\.example>$/u);
  });

  it('are not mailed without a mail server, or once the settings say otherwise.', async(): Promise<void> => {
    const settings = { language: 'en' as const, contactEmail: 'plans@water.example', mails: { Confirm: true }};
    await set(settings);
    use('');
    await file();
    use(`smtp://127.0.0.1:${port}`);
    await runAfter(0);
    await file();
    await set({ ...settings, mails: {}});
    await runAfter(0);
    await file();
    await set({ language: 'en', mails: { Confirm: true }});
    await file();
    await runAfter(day);
    expect([ mails.length, messages.length ]).toEqual([ 0, 0 ]);
  });

  it('that a term is nearly over come on its last working day.', (): void => {
    for (const [ end, last ] of [
      [ '2026-11-30T23:00:00Z', '2026-11-29T23:00:00Z' ],
      // A Saturday and a Sunday before.
      [ '2026-11-29T23:00:00Z', '2026-11-26T23:00:00Z' ],
      // Easter Monday.
      [ '2027-03-29T22:00:00Z', '2027-03-25T23:00:00Z' ],
    ]) {
      expect(lastWorkingDayOf(new Date(end)).toISOString()).toBe(new Date(last).toISOString());
    }
  });
});
