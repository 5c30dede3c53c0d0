import { useSignalEffect } from '@preact/signals';
import { apiUrl, type Problems } from '../api/index.ts';
import { useLive } from '../live/index.ts';
import { language } from '../text/index.ts';
import { CurrentPage } from './current-page.tsx';
import { Frame } from './frame.tsx';
import { verdict } from './verdict.ts';

const problemsUrl = apiUrl('/v1/problems', { limit: 50 });

export function App() {
  const problems = useLive<Problems>(problemsUrl);
  if (problems.data !== undefined) verdict.value = problems.data;
  useSignalEffect(() => {
    document.documentElement.lang = language.value;
  });
  return (
    <Frame>
      <CurrentPage />
    </Frame>
  );
}
