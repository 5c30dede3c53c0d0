/** In `initial_resource_versions`, where others stand versions that we gave: never equal to one of them. */

/** The client was sent the resource and rejected the response: it may have the resource, and must hear when there is none. */
export const maybeHeld = '';

/** The client has the resource, and does not know in which version: it rejected a response with a newer one. */
export const unknownVersion = '?';
