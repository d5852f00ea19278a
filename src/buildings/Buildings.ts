/** A document of a building register. */
export interface Building {
  bytes: Buffer;
  contentType: string;
}

/** A building register, read-only. */
export interface Buildings {
  /**
   * The document at a path, the root being the empty one.
   *
   * @param path - Decoded, without a slash in front.
   *
   * @throws NotEnabled, BuildingNotFound, BuildingGone
   * @throws OriginUnavailable when the register cannot be asked now, or gives something else than JSON.
   */
  find: (path: string) => Promise<Building>;
}

/** More bytes than this are no document of a register. */
export const maxBuildingBytes = 5 * 1024 * 1024;
