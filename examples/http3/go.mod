module github.com/segue-go/segue/examples/http3

go 1.26.0

replace github.com/segue-go/segue => ../../

require (
	github.com/quic-go/quic-go v0.65.0
	github.com/segue-go/segue v0.0.0
	github.com/stretchr/testify v1.12.1
)

require (
	github.com/quic-go/qpack v0.6.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)
