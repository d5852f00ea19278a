/** A document of a building register. */
export interface Building {
  bytes: Buffer;
  contentType: string;
}

/** A building register, read-only. */
export interface Buildings {
  /**
   * Returns the document at a path; the root is the empty path.
   *
   * @param path - Decoded, without a leading slash.
   *
   * @throws NotEnabled, BuildingNotFound, BuildingGone
   * @throws OriginUnavailable when the register cannot be reached now, or returns something other than JSON.
   */
  find: (path: string) => Promise<Building>;
}

/** Maximum size of a document in bytes. */
export const maxBuildingBytes = 5 * 1024 * 1024;
