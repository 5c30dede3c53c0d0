import { createRequire } from 'node:module';

type PriceCatalogue = typeof import('@pydantic/genai-prices');

const require = createRequire(import.meta.url);

/** Prices of providers' models, loaded when first asked for: 2.5 MB of objects, and most clusters have no AIService. */
export const priceCatalogue = (): PriceCatalogue => require('@pydantic/genai-prices') as PriceCatalogue;
