package main

import (
	"fmt"
	"log/slog"
	"os"

	coreruleset "github.com/corazawaf/coraza-coreruleset/v4"
	"github.com/corazawaf/coraza/v3"
	"github.com/corazawaf/coraza/v3/types"
)

// The rules as the Core Rule Set recommends them, and what they find in answers is logged too. Files that begin with @ are inside the module of the rules.
const directives = `
Include @coraza.conf-recommended
SecRuleEngine On
Include @crs-setup.conf.example
SecDefaultAction "phase:3,log,auditlog,pass"
SecDefaultAction "phase:4,log,auditlog,pass"
SecAction "id:900000,phase:1,pass,t:none,nolog,setvar:tx.blocking_paranoia_level=%d"
Include @owasp_crs/*.conf
`

func newEngine(paranoia int, rules string, logger *slog.Logger) (coraza.WAF, error) {
	if paranoia < 1 || paranoia > 4 {
		return nil, fmt.Errorf("-paranoia %d is not between 1 and 4", paranoia)
	}
	text := fmt.Sprintf(directives, paranoia)
	if rules != "" {
		bytes, err := os.ReadFile(rules)
		if err != nil {
			return nil, err
		}
		text = string(bytes)
	}
	config := coraza.NewWAFConfig().
		WithRootFS(coreruleset.FS).
		WithDirectives(text).
		WithErrorCallback(func(matched types.MatchedRule) { logRule(logger, matched) })
	return coraza.NewWAF(config)
}

// What matched is not logged: requests hold passwords.
func logRule(logger *slog.Logger, matched types.MatchedRule) {
	rule := matched.Rule()
	logger.Warn(matched.Message(),
		"transaction", matched.TransactionID(), "client", matched.ClientIPAddress(),
		"rule", rule.ID(), "severity", rule.Severity().String(), "blocks", matched.Disruptive())
}
