// Nothing but versions: tools/helm takes from these the definitions (CRDs) of kinds that the chart makes objects of.
module huygens/definitions

go 1.26.0

require (
	github.com/cert-manager/cert-manager v1.18.2
	github.com/prometheus-operator/prometheus-operator v0.85.0
)
