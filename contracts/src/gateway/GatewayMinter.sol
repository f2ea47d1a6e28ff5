// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";
import {IMintable} from "../Faucet.sol";
import {PaddedAddress} from "../bridge/PaddedAddress.sol";
import {GatewayCommon} from "./GatewayCommon.sol";
import {TransferPayloads} from "./TransferPayloads.sol";
import {TransferSpec} from "./TransferSpecs.sol";

/// Mints what the operator attested, each transfer once, with the surface of Circle's GatewayMinter. It must be a minter of
/// each token, and what the token still allows it to mint is the last of its limits.
contract GatewayMinter is GatewayCommon {
    using PaddedAddress for bytes32;

    mapping(address signer => bool) public isAttestationSigner;

    event AttestationUsed(
        address indexed token,
        address indexed recipient,
        bytes32 indexed transferSpecHash,
        uint32 sourceDomain,
        bytes32 sourceDepositor,
        bytes32 sourceSigner,
        uint256 value
    );
    event AttestationSignerAdded(address indexed signer);
    event AttestationSignerRemoved(address indexed signer);

    error MustHaveAtLeastOneAttestation();
    error InvalidAttestationSigner();
    error AttestationExpiredAtIndex(uint32 index, uint256 maxBlockHeight, uint256 currentBlock);
    error AttestationValueMustBePositiveAtIndex(uint32 index);
    error InvalidAttestationDestinationCallerAtIndex(uint32 index, address attestationCaller, address actualCaller);
    error InvalidAttestationDestinationDomainAtIndex(uint32 index, uint32 attestationDomain, uint32 expectedDomain);
    error InvalidAttestationDestinationContractAtIndex(
        uint32 index, address attestationContract, address expectedContract
    );
    error UnsupportedTokenAtIndex(uint32 index, address destinationToken);
    error InvalidAttestationTokenAtIndex(uint32 index, address sourceToken, address destinationToken);

    constructor(address administrator, address[] memory supportedTokens, uint32 domain_, address attestationSigner)
        GatewayCommon(administrator, supportedTokens, domain_)
    {
        _addAttestationSigner(attestationSigner);
    }

    /// Takes an attestation or a set of them; `signature` is that of an attestation signer, with the prefix of signed
    /// messages. All of a set is minted or nothing.
    function gatewayMint(bytes calldata attestationPayload, bytes calldata signature)
        external
        whenNotPaused
        notDenylisted(msg.sender)
    {
        bytes32 digest = MessageHashUtils.toEthSignedMessageHash(keccak256(attestationPayload));
        if (!isAttestationSigner[ECDSA.recoverCalldata(digest, signature)]) revert InvalidAttestationSigner();
        TransferPayloads.Attestation[] memory attestations = TransferPayloads.decodeAttestations(attestationPayload);
        if (attestations.length == 0) revert MustHaveAtLeastOneAttestation();
        for (uint32 index = 0; index < attestations.length; index++) {
            TransferPayloads.Attestation memory attestation = attestations[index];
            if (attestation.maxBlockHeight < block.number) {
                revert AttestationExpiredAtIndex(index, attestation.maxBlockHeight, block.number);
            }
            _requireSpec(attestation.spec, index);
            _mint(attestation.spec, attestation.specHash);
        }
    }

    function addAttestationSigner(address signer) external onlyOwner {
        _addAttestationSigner(signer);
    }

    function removeAttestationSigner(address signer) external onlyOwner {
        isAttestationSigner[signer] = false;
        emit AttestationSignerRemoved(signer);
    }

    function _requireSpec(TransferSpec memory spec, uint32 index) private view {
        if (spec.value == 0) revert AttestationValueMustBePositiveAtIndex(index);
        _requireNotDenylisted(spec.destinationRecipient.unpad());
        address caller = spec.destinationCaller.unpad();
        if (caller != address(0) && caller != msg.sender) {
            revert InvalidAttestationDestinationCallerAtIndex(index, caller, msg.sender);
        }
        if (spec.destinationDomain != domain) {
            revert InvalidAttestationDestinationDomainAtIndex(index, spec.destinationDomain, domain);
        }
        address destination = spec.destinationContract.unpad();
        if (destination != address(this)) {
            revert InvalidAttestationDestinationContractAtIndex(index, destination, address(this));
        }
        address token = spec.destinationToken.unpad();
        if (!isTokenSupported[token]) revert UnsupportedTokenAtIndex(index, token);
        address sourceToken = spec.sourceToken.unpad();
        if (spec.sourceDomain == domain && sourceToken != token) {
            revert InvalidAttestationTokenAtIndex(index, sourceToken, token);
        }
    }

    function _mint(TransferSpec memory spec, bytes32 specHash) private {
        _useTransferSpecHash(specHash);
        address token = spec.destinationToken.unpad();
        address recipient = spec.destinationRecipient.unpad();
        emit AttestationUsed(
            token, recipient, specHash, spec.sourceDomain, spec.sourceDepositor, spec.sourceSigner, spec.value
        );
        IMintable(token).mint(recipient, spec.value);
    }

    function _addAttestationSigner(address signer) private {
        _requireAddress(signer);
        isAttestationSigner[signer] = true;
        emit AttestationSignerAdded(signer);
    }
}
