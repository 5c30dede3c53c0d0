import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { BrotliSchema, CompressorSchema, GzipSchema, packAny, ZstdSchema } from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import { stringMatcher } from '../../resource/index.ts';
import type { FilterList } from '../slot.ts';

type Algorithm = ir.Compression['algorithms'][number];

const libraries: Readonly<Record<Algorithm, () => Any>> = {
  zstd: () => packAny(ZstdSchema, create(ZstdSchema)),
  brotli: () => packAny(BrotliSchema, create(BrotliSchema)),
  gzip: () => packAny(GzipSchema, create(GzipSchema)),
};

/** One compressor for each algorithm; they agree among themselves which of them a client likes best. */
export const compression = ({ algorithms, minBytes, contentTypes }: ir.Compression): FilterList => ({
  filters: algorithms.map((algorithm) => {
    const compressor = create(CompressorSchema, {
      compressorLibrary: { name: algorithm, typedConfig: libraries[algorithm]() },
      chooseFirst: algorithm === algorithms[0],
      responseDirectionConfig: {
        commonConfig: {
          minContentLength: minBytes,
          ...(contentTypes && {
            contentTypeMatcher: contentTypes.map((value) => stringMatcher({ kind: 'exact', value })),
          }),
        },
        weakenEtagOnCompress: true,
      },
    });
    return { name: algorithm, typedConfig: packAny(CompressorSchema, compressor) };
  }),
});
