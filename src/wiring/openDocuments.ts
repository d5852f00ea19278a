import type { Buildings } from '../buildings/Buildings';
import { openBuildings } from '../buildings/openBuildings';
import { Artefacts } from '../contracts/Artefacts';
import { ContractFolder } from '../contracts/ContractFolder';
import { ShaclDataTypes } from '../data-types/ShaclDataTypes';
import { openSources } from '../sources/openSources';
import type { OpenSources } from '../sources/openSources';
import { keepApart } from '../platform/keepApart';
import { settleAll } from '../platform/settleAll';
import type { Groundwork } from './layGroundwork';

/** What the operator has laid down in files: read at start. */
export interface OperatorDocuments {
  dataTypes: ShaclDataTypes;
  contracts: ContractFolder;
  artefacts: Artefacts;
  sources: OpenSources;
  buildings: Buildings;
}

/**
 * Reads data types, contracts and purposes, and opens sources and the building register.
 *
 * @throws Error that names the files or the flags.
 */
export async function openDocuments(groundwork: Groundwork): Promise<OperatorDocuments> {
  const { records, settings: { baseUrl, paths, timeZone }} = groundwork;
  const dataTypes = await ShaclDataTypes.load({ base: baseUrl, folder: paths.dataTypes });
  const [ contracts, artefacts, sources, buildings ] = await settleAll([
    ContractFolder.open({ folder: paths.contracts, base: baseUrl, dataTypes, uses: records.contractUses, timeZone }),
    Artefacts.load({ base: baseUrl, dataTypes, purposes: paths.purposes }),
    openSourcesApart(groundwork, dataTypes),
    openBuildings(paths.buildings),
  ]);
  return { dataTypes, contracts, artefacts, sources, buildings };
}

async function openSourcesApart(
  { args, logger, now, settings: { baseUrl, paths }}: Groundwork,
  dataTypes: ShaclDataTypes,
): Promise<OpenSources> {
  const sources = await openSources(paths.sources, { dataTypes, baseUrl, env: process.env, now, logger });
  for (const folder of sources.folders) {
    keepApart(args.rootFilePath, { sources: folder });
  }
  return sources;
}
