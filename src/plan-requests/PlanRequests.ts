import { openApi } from '../api/openApi';
import { apiSite } from '../http/apiSite';
import { CallReader } from '../http/CallReader';
import { HttpApi } from '../http/HttpApi';
import type { Operation } from '../http/Operation';
import { Routes } from '../http/Routes';
import type { Mistakes } from '../platform/Mistakes';
import type { MailSender } from '../server/mail/MailSender';
import type { AddedApi, AddedService, SharedHouse } from '../wiring/AddedService';
import { Chores } from '../platform/Chores';
import { messageOf } from '../platform/errors';
import { keepApart } from '../platform/keepApart';
import { ownIris } from '../vocabulary';
import { descriptionOperations, endedVersions } from './descriptionRoutes';
import { listFormerNames, moverOf, requireFormerHosts } from './formerBases';
import type { PlanServices } from './operation';
import type { JobOutcome } from './jobs/Jobs';
import { Jobs } from './jobs/Jobs';
import { Organisations, readOrganisations } from './Organisations';
import { MapRequestDrafts } from './MapRequestDrafts';
import { MapRequests } from './MapRequests';
import { Overlays } from './Overlays';
import { Mails } from './notices/Mails';
import { Notices } from './notices/Notices';
import { remind } from './notices/remind';
import { packageOperations } from './packageRoutes';
import { PackageFiles } from './packages/PackageFiles';
import { PackageArchive } from './packages/PackageArchive';
import { PackageValidator } from './packages/PackageValidator';
import { Packages } from './packages/Packages';
import { PdaZones } from './PdaZones';
import { Announcements } from './registry/Announcements';
import { Registry } from './registry/Registry';
import { requestOperations } from './requestRoutes';
import { planSchemas } from './schemas';
import type { Job, PlanRecords } from './PlanStores';
import type { PlanDocuments, PlanRequestsSettings } from './settings';
import { readPlanDocuments } from './settings';
import { openPlanRecords } from './storage/openPlanRecords';
import { Unas } from './Unas';
import { UnaZones } from './UnaZones';
import { ZoneIndex } from './ZoneIndex';
import { zoneOperations } from './zoneRoutes';

/** Options of {@link PlanRequests}. */
export interface PlanRequestsArgs extends PlanRequestsSettings {
  /** Sends mails to operators. */
  mail: MailSender;
}

/** Interval at which old overlays are removed. */
const cleanMs = 3_600_000;
/** Interval at which due jobs are begun. */
const workMs = 1000;

const introduction = [
  'Who is about to dig asks which cables and pipes lie in a zone; the operators of the networks answer.',
  'Every call carries the header `organisationId`: an organisation that lists the caller, by WebID, by the id of ' +
  'client credentials of this server or, when the issuer of the token is listed in the settings of the server, by ' +
  'client id. An operation needs one of the roles of that organisation; a token with scopes needs the scope of the ' +
  'same name. Scopes of log-in, such as `webid`, do not count.',
  'Coordinates are metres in EPSG:31370 or EPSG:3812. Names of members are in Pascal case, ids are UUIDs, times UTC.',
].join('\n\n');

/** Plan requests: builders ask which cables and pipes lie in a zone, and the operators of these networks answer. */
export class PlanRequests implements AddedService {
  public readonly names: string[];
  private readonly args: PlanRequestsArgs;

  public constructor(args: PlanRequestsArgs) {
    this.args = args;
    this.names = [ ...new Set([ 'ws', ...listFormerNames(args.planRequestsFormer) ]) ];
  }

  public async check(mistakes: Mistakes): Promise<string[]> {
    const documents = await mistakes.during(async(): Promise<PlanDocuments> => readPlanDocuments(this.args));
    return documents ? summarise(documents) : [];
  }

  public async open(house: SharedHouse): Promise<AddedApi> {
    const documents = await readPlanDocuments(this.args);
    keepApart(house.rootFilePath, { planPackages: documents.packages });
    requireFormerHosts(documents.formerBases, house.baseUrl);
    const records = openPlanRecords(house.tables, house.newId);
    const files = new PackageFiles(documents.packages);
    await files.prepare();
    const { logger, now } = house;
    const registry = documents.registry && new Registry(documents.registry, now);
    const announcements = new Announcements({ records, registry, logger, now });
    const organisations = new Organisations(documents.organisations, this.args.organisationClaim, house.baseUrl);
    const { mail } = this.args;
    const url = `${house.baseUrl}ws/${documents.service}/v3`;
    const notices = new Notices({ organisations, isMailed: mail.isOffered, url, now });
    const mails = new Mails({ records, mail, logger, now });
    const parts = { announcements, files, mails, notices, organisations, records };
    const services = createServices(house, documents, parts);
    const jobs = createJobs(house, documents, parts);
    const archive = new PackageArchive({ records, notices, files, now });
    const chores = new Chores(house.logger);
    if (house.leads) {
      for (const line of summarise(documents)) {
        house.logger.info(line);
      }
      chores.everyUnlessBusy(cleanMs, 'old overlays', async(): Promise<void> => services.overlays.removeOld());
      chores.everyUnlessBusy(cleanMs, 'old plan requests', async(): Promise<void> => archive.removeOld());
      chores.everyUnlessBusy(workMs, 'work of plan requests', async(): Promise<void> => jobs.run());
    }
    return {
      api: createApi(house, documents, services),
      reload: async(): Promise<void> => this.reload(house, services),
      stop: async(): Promise<void> => {
        await Promise.all([ chores.stop(), jobs.stop() ]);
      },
    };
  }

  private async reload({ logger }: SharedHouse, { organisations }: PlanServices): Promise<void> {
    try {
      organisations.adopt(await readOrganisations(this.args.organisations));
      logger.info(`Organisations were reloaded: ${organisations.size}.`);
    } catch (error: unknown) {
      logger.error(`Organisations were not reloaded: ${messageOf(error)}`);
    }
  }
}

function createJobs(
  { logger, newId, now }: SharedHouse,
  { authorities, model }: PlanDocuments,
  { announcements, files, mails, notices, records }: PlanParts,
): Jobs {
  const validator = new PackageValidator({ records, notices, files, model, authorities, now });
  const work = {
    announce: async(job: Job): Promise<JobOutcome> => announcements.announce(job),
    mail: async(job: Job): Promise<JobOutcome> => mails.send(job),
    remind: async(job: Job): Promise<JobOutcome> => remind(job, notices),
    test: async(job: Job, signal: AbortSignal): Promise<JobOutcome> => validator.validate(job, signal),
    validate: async(job: Job, signal: AbortSignal): Promise<JobOutcome> => validator.validate(job, signal),
  };
  async function release(job: Job): Promise<void> {
    await validator.release(job);
  }
  const ended = { test: release, validate: release };
  return new Jobs({ records, holder: newId(), work, ended, logger, now });
}

/** Parts that the services share. */
interface PlanParts {
  announcements: Announcements;
  files: PackageFiles;
  mails: Mails;
  notices: Notices;
  organisations: Organisations;
  records: PlanRecords;
}

function createServices(
  { baseUrl, credentials, logger, newId, now, verifier }: SharedHouse,
  { area, limits, naturesOfWorks, terms }: PlanDocuments,
  { announcements, files, notices, organisations, records }: PlanParts,
): PlanServices {
  const index = new ZoneIndex(records.zoneVersions);
  return {
    verifier,
    organisations,
    unas: new Unas({ records, limits, now }),
    unaZones: new UnaZones({ records, announcements, limits, now, newId }),
    pdaZones: new PdaZones({ records, index, limits, now, newId }),
    mapRequests: new MapRequests({
      records,
      notices,
      drafts: new MapRequestDrafts({ index, naturesOfWorks, terms, now, newId }),
      now,
    }),
    packages: new Packages({ records, files, limits, now, newId }),
    signer: { credentials, iris: ownIris(baseUrl) },
    overlays: new Overlays({ records, index, now, newId }),
    area,
    logger,
    newId,
    now,
  };
}

function createApi(
  { audience, baseUrl, buildId, limits }: SharedHouse,
  { formerBases, service }: PlanDocuments,
  services: PlanServices,
): HttpApi<PlanServices> {
  const base = `/ws/${service}/v3`;
  const operations = [
    ...descriptionOperations(base),
    ...[ ...zoneOperations, ...requestOperations, ...packageOperations ].map((operation): Operation<PlanServices> =>
      ({ ...operation, path: base + operation.path })),
  ];
  const mounted = [ ...operations, ...endedVersions(service) ];
  const routes = new Routes({
    operations: mounted,
    schemas: planSchemas,
    prefixes: [ `/ws/${service}/` ],
    findMoved: moverOf(formerBases, baseUrl + base.slice(1)),
  });
  const reader = new CallReader({
    verifier: services.verifier,
    limits,
    claims: [ 'scope', services.organisations.claim ],
    site: apiSite(baseUrl, mounted, (): object => openApi(operations, {
      baseUrl,
      buildId,
      audience,
      schemas: planSchemas,
      title: 'Plan requests',
      introduction,
    })),
  });
  return new HttpApi({ baseUrl, routes, reader, services });
}

function summarise({ area, organisations, registry, service }: PlanDocuments): string[] {
  return [
    `Plan requests at /ws/${service}/v3: ${organisations.length} organisations, ` +
    `${area ? 'in the area of --planArea' : 'in all of Belgium (no --planArea)'}.`,
    ...registry ? [ `Zones of operators are announced to ${registry.endpoint}.` ] : [],
  ];
}
